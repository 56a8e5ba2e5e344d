// Shortens the JSON of a command to a number of bytes and says what was left out. Pure.
//
// The longest list is shortened first, so that tables share the space that remains. Lists keep
// their first rows, which are the largest. Call trees keep the nodes with the largest totals.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "cli/json_text.h"
#include "core/base/result.h"

namespace gprofx {

// Formats JSON as ASCII. Names then cannot contain hidden characters or change the direction of
// text.
std::string AsciiJson(const Json& json);

class Fitted {
 public:
  explicit Fitted(Json answer) : answer_(std::move(answer)) {}

  // Removes the contents of the list or object at the JSON pointer `where`, if it exists.
  void Empty(const std::string& where);

  // Records that the list at `where` is already shortened and had `of` entries.
  void WasCut(const std::string& where, size_t of);

  // Returns the maximum number of list entries that `most_bytes` can hold.
  static size_t MostEntries(size_t most_bytes);

  // Returns `head` as text with two more members, in at most `most_bytes`. "answer" is the
  // shortened answer. "left_out" lists what was shortened: [{"where", "shown", "of", "unit"}].
  // Fails if the answer cannot be shortened that much.
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
