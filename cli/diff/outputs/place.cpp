#include "cli/diff/outputs/place.h"

#include <filesystem>

namespace gprofx {
namespace {

constexpr size_t kLongestPath = 1'000;  // bytes; longer paths are not source files

bool IsPlain(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~/").find(static_cast<char>(c)) != std::string_view::npos;
}

}  // namespace

std::string BelowRoots(std::string_view file, const OutputPlace& place) {
  const bool is_name = !file.empty() && file.size() <= kLongestPath && file.front() != '<' &&
                       file.find('\0') == std::string_view::npos;
  if (!is_name) return "";
  using Path = std::filesystem::path;
  const bool is_absolute = file.front() == '/';
  for (const std::string& root : place.roots) {
    const Path top = (Path(root) / "").lexically_normal();
    const std::string whole = (top / file).lexically_normal().string();
    const std::string folder = top.string();  // ends in a slash
    if (whole.size() <= folder.size() || !whole.starts_with(folder)) continue;
    if (is_absolute || place.exists(whole)) return whole.substr(folder.size());
  }
  return "";
}

SourcePlace PlaceOf(const Notice& notice, const OutputPlace& place) {
  for (const auto& [file, line] :
       {std::pair(&notice.file, notice.line), std::pair(&notice.seen_file, notice.seen_line)}) {
    const std::string path = BelowRoots(*file, place);
    if (!path.empty()) return {path, line, true};
  }
  if (notice.file.starts_with('/') && notice.file.size() <= kLongestPath) {
    return {std::filesystem::path(notice.file).lexically_normal().string(), notice.line, false};
  }
  return {};
}

std::string PercentEncoded(std::string_view path) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  for (const unsigned char c : path) {
    if (IsPlain(c)) {
      out += static_cast<char>(c);
    } else {
      out += {'%', kDigits[c >> 4], kDigits[c & 15]};
    }
  }
  return out;
}

}  // namespace gprofx
