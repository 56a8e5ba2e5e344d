#include "formats/importers/collapsed/frame_text.h"

#include <optional>

#include "formats/importers/collapsed/stack_line.h"

namespace gprofx::importers {
namespace {

std::optional<FrameParts> SplitColons(std::string_view text) {
  const size_t second = text.rfind(':');
  if (second == std::string_view::npos || second == 0) return std::nullopt;
  const size_t first = text.rfind(':', second - 1);
  if (first == std::string_view::npos || first == 0) return std::nullopt;
  const std::string_view file = text.substr(0, first);
  const auto line = NumberOf<uint32_t>(text.substr(second + 1));
  const bool is_file = file.ends_with(".py") || file.ends_with(".pyx") || file.starts_with('<') ||
                       file.find('/') != std::string_view::npos;
  if (!line || !is_file || second == first + 1) return std::nullopt;
  return FrameParts{text.substr(first + 1, second - first - 1), file, *line,
                    *line != 0 || IsPythonFile(file)};
}

FrameParts Split(std::string_view text) {
  if (const auto parts = SplitColons(text)) return *parts;
  FrameParts parts{text};
  const size_t open = text.rfind(" (");
  if (open == std::string_view::npos || open == 0 || !text.ends_with(')')) return parts;
  std::string_view where = text.substr(open + 2, text.size() - open - 3);
  const size_t colon = where.rfind(':');
  uint32_t line = 0;
  if (colon != std::string_view::npos) {
    const char* const end = where.data() + where.size();
    const auto [at, error] = std::from_chars(where.data() + colon + 1, end, line);
    if (error != std::errc() || at != end) return parts;
    where = where.substr(0, colon);
  }
  const bool is_file = where.ends_with(".py") || where.ends_with(".pyx") || line != 0 ||
                       where.starts_with('<') || where.find(".so") != std::string_view::npos;
  if (!is_file) return parts;
  return {text.substr(0, open), where, line, IsPythonFile(where)};
}

}  // namespace

bool IsPythonFile(std::string_view file) {
  return file.ends_with(".py") || file.ends_with(".pyx") || file.starts_with("<");
}

FrameId FrameOfParts(Profile& profile, const FrameParts& parts) {
  Function function;
  function.name = profile.Intern(parts.name);
  function.file = profile.Intern(parts.file);
  Frame frame;
  frame.kind = parts.is_python ? FrameKind::kPython : FrameKind::kNative;
  frame.function = profile.Intern(function);
  frame.line = parts.line;
  return profile.Intern(frame);
}

FrameId FrameOfText(Profile& profile, std::string_view text) {
  return FrameOfParts(profile, Split(text));
}

}  // namespace gprofx::importers
