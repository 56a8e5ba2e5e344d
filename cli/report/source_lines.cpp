#include "cli/report/source_lines.h"

#include <sys/stat.h>

#include <optional>

#include "core/base/file_io.h"
#include "core/base/text.h"
#include "core/views/recording.h"

namespace gprofx {
namespace {

constexpr size_t kLargestFile = 4 << 20, kMaxFiles = 100, kLongestLine = 500;
constexpr int64_t kSecond = 1'000'000'000;

// Files of which nothing is known are not shown: another text at the line would mislead.
bool IsUnchanged(const std::string& path, int64_t recorded_ns) {
  struct stat info {};
  return recorded_ns > 0 && stat(path.c_str(), &info) == 0 &&
         int64_t{info.st_mtim.tv_sec} <= recorded_ns / kSecond;
}

std::optional<std::string> TextOf(const Profile& profile, const std::string& path) {
  for (const SourceText& source : profile.gpu.sources) {
    if (profile.Text(source.path) == path) return source.text;
  }
  if (!path.starts_with('/')) return std::nullopt;
  if (!IsUnchanged(path, MetaNumber(profile, "start_realtime_ns"))) return std::nullopt;
  return ReadRegularFile(path, kLargestFile);
}

std::vector<std::string> Split(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.emplace_back(Trimmed(text.substr(0, end)).substr(0, kLongestLine));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

}  // namespace

const SourceLines::Lines& SourceLines::LinesOf(std::string_view file) {
  static const Lines kNone;
  const auto known = files_.find(file);
  if (known != files_.end()) return known->second;
  if (files_.size() >= kMaxFiles) return kNone;
  const std::string path(file);
  const std::optional<std::string> text = TextOf(profile_, path);
  return files_.emplace(path, text ? Split(*text) : Lines()).first->second;
}

std::string SourceLines::Line(std::string_view file, uint32_t line) {
  const Lines& lines = LinesOf(file);
  return line == 0 || line > lines.size() ? "" : lines[line - 1];
}

}  // namespace gprofx
