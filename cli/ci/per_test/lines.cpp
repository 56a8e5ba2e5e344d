#include "cli/ci/per_test/lines.h"

#include <algorithm>

#include "cli/ci/per_test/read_json.h"
#include "core/base/text.h"

namespace gprofx {

std::vector<std::string> LinesOf(std::string_view text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = Trimmed(text.substr(at, end - at));
    if (!line.empty()) lines.emplace_back(line);
    at = end + 1;
  }
  return lines;
}

Result<std::vector<std::string>> ReadLines(const std::string& path) {
  const Result<std::string> text = ReadHarnessText(path);
  if (!text) return text.error();
  return LinesOf(*text);
}

}  // namespace gprofx
