// Cuts the JSON of a command to a number of bytes, and says what was left out. Pure.
//
// The longest list goes first, so that what remains is shared among the tables. Lists keep their
// beginning, where the largest rows are; of call trees the nodes with the largest totals stay.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "cli/json_text.h"
#include "core/base/result.h"

namespace gprofx {

// As text: ASCII alone, so that no name hides characters or turns the direction of writing.
std::string AsciiJson(const Json& json);

class Fitted {
 public:
  explicit Fitted(Json answer) : answer_(std::move(answer)) {}

  // Leaves the list or object at this JSON pointer out, if it is there.
  void Empty(const std::string& where);

  // The list there was cut before; it had so many entries.
  void WasCut(const std::string& where, size_t of);

  // How many entries of a list can be in so many bytes at all.
  static size_t MostEntries(size_t most_bytes);

  // {..., "left_out": [{"where", "shown", "of", "unit"}], "answer"}: `head` and what fits.
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
