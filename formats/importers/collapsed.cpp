#include <charconv>
#include <optional>

#include "core/base/arithmetic.h"
#include "formats/importers/stack_texts.h"

namespace gprofx::importers {
namespace {

constexpr size_t kMaxNodes = 6'000'000, kDeepest = 4096;

struct Line {
  std::string_view stack;
  int64_t count = 0;
};

std::optional<Line> Parse(std::string_view text) {
  const size_t blank = text.rfind(' ');
  if (blank == std::string_view::npos || blank == 0) return std::nullopt;
  const std::string_view digits = text.substr(blank + 1);
  Line line{text.substr(0, blank)};
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), line.count);
  if (error != std::errc() || end != digits.data() + digits.size() || line.count < 0) {
    return std::nullopt;
  }
  return line;
}

// The parts of a frame's text. Only "work (app.py:3)", as py-spy writes it, has a file and a line.
// "work app.py:3" of other tools is only a name.
struct Parts {
  std::string_view name, file;
  uint32_t line = 0;
};

Parts Split(std::string_view text) {
  Parts parts{text};
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
  return {text.substr(0, open), where, line};
}

bool IsPython(std::string_view file) {
  return file.ends_with(".py") || file.ends_with(".pyx") || file.starts_with("<");
}

}  // namespace

FrameId CollapsedReader::FrameOf(Profile& profile, std::string_view text) {
  const Parts parts = Split(text);
  Function function;
  function.name = profile.Intern(parts.name);
  function.file = profile.Intern(parts.file);
  Frame frame;
  frame.kind = IsPython(parts.file) ? FrameKind::kPython : FrameKind::kNative;
  frame.function = profile.Intern(function);
  frame.line = parts.line;
  return profile.Intern(frame);
}

bool CollapsedReader::IsStack(std::string_view line) { return Parse(line).has_value(); }

CollapsedReader::CollapsedReader(Profile& profile)
    : profile_(profile),
      samples_(profile.AddMetric("samples", "count", MetricKind::kSampled)),
      lines_([this](std::string_view line) { Take(line); }) {
  profile.processes.push_back({});
  Thread row;
  row.process = ProcessId{1};
  profile.threads.push_back(row);
  thread_ = ThreadId{1};
}

void CollapsedReader::Take(std::string_view text) {
  if (text.empty() || text.starts_with('#')) return;
  const std::optional<Line> line = Parse(text);
  if (!line) {
    ++unread_;
    return;
  }
  NodeId node = profile_.root();
  std::string_view rest = line->stack;
  for (size_t depth = 0; !rest.empty() && depth < kDeepest; ++depth) {
    const size_t end = rest.find(';');
    const std::string_view frame = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    if (frame.empty() || profile_.nodes.size() >= kMaxNodes) continue;
    node = profile_.Child(node, FrameOf(profile_, frame));
  }
  ++stacks_;
  if (line->count > 0) profile_.AddSelf(node, thread_, samples_, line->count);
}

void CollapsedReader::Finish() {
  lines_.Finish();
  profile_.meta["clock"] = "samples";
  profile_.quality["import_stacks"] = stacks_;
  if (unread_ > 0) profile_.quality["import_left_out_lines"] = unread_;
}

}  // namespace gprofx::importers
