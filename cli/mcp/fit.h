// Cuts the JSON of a command to a number of bytes and says what was left out. Pure.
//
// Cuts the longest list first, so that the tables share the remaining space. Lists keep their first
// rows, which are the largest. Call trees keep the nodes with the largest totals.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "cli/json_text.h"
#include "core/base/result.h"

namespace gprofx {

// Formats as ASCII, so that no name can hide characters or change the writing direction.
std::string AsciiJson(const Json& json);

class Fitted {
 public:
  explicit Fitted(Json answer) : answer_(std::move(answer)) {}

  // Omits the list or object at this JSON pointer, if it exists.
  void Empty(const std::string& where);

  // Records that the list at `where` was already cut and originally had `of` entries.
  void WasCut(const std::string& where, size_t of);

  // Returns the maximum number of list entries that `most_bytes` can hold.
  static size_t MostEntries(size_t most_bytes);

  // Returns `head` with two more members, in at most `most_bytes`: "answer", the cut answer, and
  // "left_out": [{"where", "shown", "of", "unit"}]. Returns an Error if it cannot be cut to that
  // size.
  Result<std::string> Text(Json head, size_t most_bytes);

 private:
  void ShortenTexts(Json& node, const std::string& where);
  void CapLists(Json& node, const std::string& where, size_t most_bytes);
  bool CutLargest();
  void CutList(Json& list, const std::string& where, size_t keep);
  void CutMembers(Json& object, const std::string& where, size_t keep);
  void CutText(Json& text, const std::string& where, size_t keep);
  void Note(const std::string& where, const char* unit, size_t shown, size_t of);
  Json LeftOut() const;

  struct Cut {
    std::string unit;
    size_t shown = 0, of = 0;
  };
  Json answer_;
  std::map<std::string, Cut> cuts_;
};

}  // namespace gprofx
