#include "cli/report/source_lines.h"

#include "core/base/text.h"

namespace gprofx {
namespace {

constexpr size_t kMaxLines = 200'000, kLongestLine = 500;

std::vector<size_t> BeginsOf(std::string_view text) {
  std::vector<size_t> begins = {0};
  while (begins.size() < kMaxLines) {
    const size_t end = text.find('\n', begins.back());
    if (end == std::string_view::npos) break;
    begins.push_back(end + 1);
  }
  return begins;
}

}  // namespace

SourceLines::SourceLines(const Profile& profile, const std::vector<SourceText>& sources) {
  for (const SourceText& source : sources) {
    if (source.path.value > profile.string_count() || source.text.empty()) continue;
    files_.try_emplace(profile.Text(source.path), File{&source.text, {}});
  }
}

const std::string* SourceLines::Text(std::string_view file) const {
  const auto found = files_.find(file);
  return found == files_.end() ? nullptr : found->second.text;
}

std::string SourceLines::Line(std::string_view file, uint32_t line) {
  const auto found = files_.find(file);
  if (found == files_.end() || line == 0) return "";
  auto& [stored, begins] = found->second;
  if (begins.empty()) begins = BeginsOf(*stored);
  if (line > begins.size()) return "";
  const std::string_view text = std::string_view(*stored).substr(begins[line - 1]);
  return std::string(Trimmed(text.substr(0, text.find('\n'))).substr(0, kLongestLine));
}

}  // namespace gprofx
