#include "formats/importers/perf/perf_frame.h"

#include "core/base/text.h"
#include "formats/importers/perf/words.h"

namespace gprofx::importers {
namespace {

constexpr size_t kAddressWidth = 16;

// Removes the offset from a name: "name+0x1a" -> "name".
std::string_view WithoutOffset(std::string_view text) {
  const size_t offset = text.rfind("+0x");
  const bool has_offset = offset != std::string_view::npos && IsHexNumber(text.substr(offset + 3));
  return has_offset ? text.substr(0, offset) : text;
}

// Returns the index at which the object begins: that of the last '(' that follows a blank and is
// closed at the end. Names and paths may contain parentheses themselves: "f() (/opt/App (x86)/a.so
// (deleted))".
size_t BeginOfObject(std::string_view text) {
  int depth = 0;
  for (size_t i = text.size(); i-- > 0;) {
    if (text[i] == ')') ++depth;
    if (text[i] != '(' || --depth > 0) continue;
    if (i == 0 || text[i - 1] == ' ') return i;
    break;
  }
  const size_t blank = text.rfind(" (");
  return blank == std::string_view::npos ? blank : blank + 1;
}

bool IsPageSize(std::string_view word) {
  return word == "N/A" || (!word.empty() && IsAsciiDigit(word.front()) &&
                           word.find_first_not_of("0123456789KMG") == std::string_view::npos);
}

// Removes the fields that perf prints after a frame.
std::string_view WithoutLaterFields(std::string_view frame) {
  for (const char* begin : {" => ", " ABI:", " ilen: ", " insn: ", " BPF output:", " 0x", "\t"}) {
    frame = frame.substr(0, frame.find(begin));
  }
  frame = Trimmed(frame);
  // There are at most three such fields: phys_addr and two page sizes.
  for (int i = 0; i < 3 && frame.find(')') < frame.size() - 1; ++i) {
    std::string_view rest = frame;
    const std::string_view word = TakeLastWord(rest).text;
    if (!IsHexNumber(word) && !IsPageSize(word)) break;
    frame = rest;
  }
  return frame;
}

// Returns the index of the last address that is in a column of its own and is followed by a symbol
// or an object. If there is none, returns the index of the last address in a column of its own.
size_t FindAddress(std::string_view text) {
  constexpr size_t kNone = std::string_view::npos;
  size_t named = kNone, bare = kNone;
  bool after_address = false;
  std::string_view rest = text;
  for (PerfWord word; !(word = TakeFirstWord(rest)).text.empty();) {
    const bool is_address = IsHexNumber(word.text) && word.width >= kAddressWidth;
    if (after_address && !is_address && !word.text.starts_with('|')) named = bare;
    if (is_address) bare = static_cast<size_t>(word.text.data() - text.data());
    after_address = is_address;
  }
  return named == kNone ? bare : named;
}

// True if the text begins with a frame. If a line has lost blanks, a frame can be recognized only
// at the begin.
bool BeginsWithFrame(std::string_view text) {
  std::string_view rest = text;
  if (!IsHexNumber(TakeFirstWord(rest).text)) return false;
  return Trimmed(rest).empty() || text.ends_with(')') || Contains(rest, "+0x");
}

}  // namespace

PerfFrame SplitPerfFrame(std::string_view text) {
  constexpr std::string_view kDeleted = " (deleted))";
  text = Trimmed(text);
  std::string_view name = text, object;
  const size_t open = text.ends_with(')') ? BeginOfObject(text) : std::string_view::npos;
  if (open != std::string_view::npos) {
    name = Trimmed(text.substr(0, open));
    object = text.substr(open + 1);
    object.remove_suffix(object.ends_with(kDeleted) ? kDeleted.size() : 1);
  }
  name = WithoutOffset(name);
  if (name == "[unknown]") name = {};
  if (object == "[unknown]") object = {};
  return {name, WithoutOffset(object)};
}

bool IsPerfStackLine(std::string_view line) {
  if (!line.starts_with('\t')) return false;
  return IsHexNumber(TakeFirstWord(line).text);
}

bool IsPerfStackLineWithoutTab(std::string_view line) {
  if (!line.starts_with(' ')) return false;
  return IsHexNumber(TakeFirstWord(line).text) && !Trimmed(line).empty();
}

std::string_view PerfFrameBehindEvent(std::string_view text) {
  const size_t begin = FindAddress(text);
  if (begin != std::string_view::npos) return WithoutLaterFields(text.substr(begin));
  text = WithoutLaterFields(text);
  return BeginsWithFrame(text) ? text : std::string_view();
}

}  // namespace gprofx::importers
