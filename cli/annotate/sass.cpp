#include "cli/annotate/sass.h"

#include <charconv>

#include "core/base/text.h"

namespace gprofx {
namespace {

// Removes an offset such as "/*0070*/" from the front of `line`. Returns the offset, or nullopt if
// there is none.
std::optional<uint64_t> TakeOffset(std::string_view& line) {
  line = Trimmed(line);
  if (line.substr(0, 2) != "/*") return std::nullopt;
  const size_t end = line.find("*/", 2);
  if (end == std::string_view::npos) return std::nullopt;
  uint64_t offset = 0;
  const char *first = line.data() + 2, *last = line.data() + end;
  const auto [stop, error] = std::from_chars(first, last, offset, 16);
  if (error != std::errc() || stop != last) return std::nullopt;
  line.remove_prefix(end + 2);
  return offset;
}

}  // namespace

std::map<uint64_t, std::string> ParseSass(std::string_view listing) {
  std::map<uint64_t, std::string> out;
  bool in_section = false;
  while (!listing.empty()) {
    const size_t end = listing.find('\n');
    std::string_view line = listing.substr(0, end);
    listing.remove_prefix(end == std::string_view::npos ? listing.size() : end + 1);
    if (Trimmed(line).starts_with(".section\t")) {
      if (in_section && !out.empty()) break;
      in_section = true;
      continue;
    }
    const std::optional<uint64_t> offset = TakeOffset(line);
    if (!offset) continue;
    line = line.substr(0, line.find("/*"));  // removes the encoding, a comment at the end
    line = Trimmed(line);
    if (!line.empty() && line.back() == ';') line = Trimmed(line.substr(0, line.size() - 1));
    if (!line.empty()) out.emplace(*offset, line);
  }
  return out;
}

}  // namespace gprofx
