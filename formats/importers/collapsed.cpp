#include <algorithm>
#include <charconv>
#include <optional>

#include "core/base/arithmetic.h"
#include "formats/importers/stack_texts.h"

namespace gprofx::importers {
namespace {

constexpr size_t kMaxNodes = 6'000'000, kDeepest = 4096;

constexpr size_t kMaxThreads = 65'536;
constexpr std::string_view kDigits = "0123456789";

struct Line {
  std::string_view stack, value;
};

bool IsInteger(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kDigits) == std::string_view::npos;
}

// "12", "12.5", and "120,0,4096" of austin --full
bool IsValue(std::string_view text) {
  return !text.empty() && kDigits.find(text.front()) != std::string_view::npos &&
         kDigits.find(text.back()) != std::string_view::npos &&
         text.find_first_not_of("0123456789.,-") == std::string_view::npos;
}

std::optional<Line> Parse(std::string_view text) {
  while (text.ends_with('\r') || text.ends_with(' ')) text.remove_suffix(1);
  const size_t blank = text.find_last_of(" \t");
  if (blank == std::string_view::npos || blank == 0) return std::nullopt;
  const Line line{text.substr(0, blank), text.substr(blank + 1)};
  return IsValue(line.value) ? std::optional(line) : std::nullopt;
}

template <class Number>
std::optional<Number> NumberOf(std::string_view text, int base = 10) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number, base);
  return error == std::errc() && at == end ? std::optional(number) : std::nullopt;
}

// "12.5" -> 1250 with scale 100; nullopt if it does not fit.
std::optional<int64_t> Scaled(std::string_view value, int64_t scale) {
  const size_t point = value.find('.');
  std::optional<int64_t> whole = NumberOf<int64_t>(value.substr(0, point));
  int64_t result = 0;
  if (!whole || __builtin_mul_overflow(*whole, scale, &result)) return std::nullopt;
  const std::string_view fraction =
      point == std::string_view::npos ? std::string_view() : value.substr(point + 1);
  for (const char digit : fraction) {
    if (digit < '0' || digit > '9') return std::nullopt;
    scale /= 10;
    if (__builtin_add_overflow(result, (digit - '0') * scale, &result)) return std::nullopt;
  }
  return result;
}

// The parts of a frame's text. "work (app.py:3)", as py-spy writes it, has a file and a line, and
// so has "app.py:work:3" of austin and of Python's own profiler. "work app.py:3" of other tools is
// only a name.
struct Parts {
  std::string_view name, file;
  uint32_t line = 0;
};

std::optional<Parts> SplitColons(std::string_view text) {
  const size_t second = text.rfind(':');
  if (second == std::string_view::npos || second == 0) return std::nullopt;
  const size_t first = text.rfind(':', second - 1);
  if (first == std::string_view::npos || first == 0) return std::nullopt;
  const std::string_view file = text.substr(0, first);
  const auto line = NumberOf<uint32_t>(text.substr(second + 1));
  const bool is_file = file.ends_with(".py") || file.ends_with(".pyx") || file.starts_with('<') ||
                       file.find('/') != std::string_view::npos;
  if (!line || !is_file || second == first + 1) return std::nullopt;
  return Parts{text.substr(first + 1, second - first - 1), file, *line};
}

Parts Split(std::string_view text) {
  if (const auto parts = SplitColons(text)) return *parts;
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

// "T0:7" and "tid:7" -> 7, "T0x7f01:0" -> 0x7f01: austin gives the interpreter's number, too.
int64_t TidOf(std::string_view name) {
  const size_t colon = name.rfind(':');
  if (name.starts_with("T0x")) {
    return NumberOf<int64_t>(name.substr(3, colon == std::string_view::npos ? colon : colon - 3),
                             16)
        .value_or(0);
  }
  return NumberOf<int64_t>(name.substr(colon == std::string_view::npos ? 0 : colon + 1))
      .value_or(0);
}

// "P42;T0x7f01:0;" begins the stacks of austin, also where its header is lost.
bool HasProcessAndThread(std::string_view text) {
  const size_t end = text.find(';');
  return text.starts_with('P') && end != std::string_view::npos &&
         IsInteger(text.substr(1, end - 1)) && text.substr(end + 1).starts_with('T');
}

}  // namespace

FrameId CollapsedReader::FrameOf(Profile& profile, std::string_view text) {
  const Parts parts = Split(text);
  Function function;
  function.name = profile.Intern(parts.name);
  function.file = profile.Intern(parts.file);
  Frame frame;
  const bool is_python = IsPython(parts.file) || (parts.line != 0 && SplitColons(text));
  frame.kind = is_python ? FrameKind::kPython : FrameKind::kNative;
  frame.function = profile.Intern(function);
  frame.line = parts.line;
  return profile.Intern(frame);
}

bool CollapsedReader::IsStack(std::string_view line) { return Parse(line).has_value(); }

CollapsedReader::CollapsedReader(Profile& profile)
    : profile_(profile), lines_([this](std::string_view line) { Take(line); }) {}

// Takes the process and the thread off the front of a stack: "P42;T0:7;..." of austin, "tid:7;..."
// of Python's own profiler. All other stacks are of one thread.
ThreadId CollapsedReader::Thread(std::string_view& stack) {
  const auto front = [&] { return stack.substr(0, stack.find(';')); };
  const auto pop = [&] { stack.remove_prefix(std::min(front().size() + 1, stack.size())); };
  int64_t pid = 0;
  std::string name;
  if (const auto number = NumberOf<int64_t>(front().substr(front().starts_with('P') ? 1 : 0));
      is_austin_ && number && front().starts_with('P')) {
    pid = *number;
    pop();
  }
  const bool is_thread = (is_austin_ && front().starts_with('T')) || front().starts_with("tid:");
  if (is_thread) {
    name = front();
    pop();
  }
  ProcessId& process = processes_[pid];
  if (!process) {
    Process row;
    row.pid = pid;
    profile_.processes.push_back(row);
    process = ProcessId{static_cast<uint32_t>(profile_.processes.size())};
  }
  if (threads_.size() >= kMaxThreads) return threads_.begin()->second;
  ThreadId& thread = threads_[{process, name}];
  if (!thread) {
    gprofx::Thread row;
    row.process = process;
    row.tid = TidOf(name);
    row.name = profile_.Intern(name);
    profile_.threads.push_back(row);
    thread = ThreadId{static_cast<uint32_t>(profile_.threads.size())};
  }
  return thread;
}

NodeId CollapsedReader::NodeOf(std::string_view rest) {
  NodeId node = profile_.root();
  for (size_t depth = 0; !rest.empty(); ++depth) {
    const size_t end = rest.find(';');
    const std::string_view frame = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    if (frame.empty()) continue;
    if (depth >= kDeepest || profile_.nodes.size() >= kMaxNodes) {
      ++cut_frames_;
      continue;
    }
    node = profile_.Child(node, FrameOf(profile_, frame));
  }
  return node;
}

// "# austin: 3.7.0", "# mode: wall"
void CollapsedReader::TakeComment(std::string_view line) {
  constexpr std::string_view kMode = "# mode: ";
  if (line.starts_with("# austin: ")) is_austin_ = true;
  if (is_austin_ && line.starts_with(kMode)) mode_ = line.substr(kMode.size());
}

// Microseconds, bytes, or with --full all of both: time, whether the thread was idle, bytes.
void CollapsedReader::TakeAustin(std::string_view stack, std::string_view value) {
  const ThreadId thread = Thread(stack);
  std::vector<int64_t> numbers;
  for (;; value.remove_prefix(value.find(',') + 1)) {
    const auto number = NumberOf<int64_t>(value.substr(0, value.find(',')));
    if (!number) {
      ++unread_;
      return;
    }
    numbers.push_back(*number);
    if (value.find(',') == std::string_view::npos) break;
  }
  const NodeId node = NodeOf(stack);
  const auto add = [&](const char* metric, const char* unit, int64_t amount, int64_t times) {
    has_values_ = has_values_ || amount != 0;
    int64_t product = 0;
    if (__builtin_mul_overflow(amount, times, &product)) product = INT64_MAX;
    profile_.AddSelf(node, thread, profile_.AddMetric(metric, unit, MetricKind::kSampled), product);
  };
  const bool is_full = numbers.size() == 3;
  if (mode_ == "memory") {
    add("memory", "bytes", numbers[0], 1);
  } else {
    add(mode_ == "cpu" ? "cpu" : "wall", "ns", numbers[0], 1000);
    if (is_full && numbers[1] == 0) add("cpu", "ns", numbers[0], 1000);
    if (is_full) add("memory", "bytes", numbers[2], 1);
  }
  ++stacks_;
}

void CollapsedReader::Rescale(int64_t scale) {
  const MetricId metric = profile_.AddMetric("samples", "count", MetricKind::kSampled);
  for (Value& value : profile_.values) {
    int64_t& self = value.self;
    if (value.metric == metric && __builtin_mul_overflow(self, scale / scale_, &self)) {
      self = INT64_MAX;
    }
  }
  scale_ = scale;
}

void CollapsedReader::TakeCount(std::string_view stack, std::string_view value) {
  constexpr size_t kMaxDigits = 6;
  const size_t point = value.find('.');
  std::string_view shown = value;
  if (point != std::string_view::npos) {
    shown = value.substr(0, point + 1 + kMaxDigits);
    int64_t scale = 1;
    for (size_t i = point + 1; i < shown.size(); ++i) scale *= 10;
    if (scale > scale_) Rescale(scale);
  }
  const std::optional<int64_t> count = Scaled(shown, scale_);
  if (!count) {
    ++unread_;
    return;
  }
  const size_t blank = stack.find_last_of(" \t");
  if (blank != std::string_view::npos && IsInteger(stack.substr(blank + 1))) ++two_values_;
  const ThreadId thread = Thread(stack);
  const NodeId node = NodeOf(stack);
  const MetricId metric = profile_.AddMetric("samples", "count", MetricKind::kSampled);
  has_values_ = has_values_ || *count > 0;
  if (*count > 0) profile_.AddSelf(node, thread, metric, *count);
  ++stacks_;
}

void CollapsedReader::Take(std::string_view text) {
  if (text.empty()) return;
  if (text.starts_with('#')) return TakeComment(text);
  const std::optional<Line> line = Parse(text);
  if (stacks_ == 0 && HasProcessAndThread(text)) is_austin_ = true;
  if (!line) {
    ++unread_;
  } else if (is_austin_) {
    TakeAustin(line->stack, line->value);
  } else {
    TakeCount(line->stack, line->value);
  }
}

void CollapsedReader::Finish() {
  lines_.Finish();
  profile_.meta["clock"] = !is_austin_         ? "samples"
                           : mode_ == "memory" ? "memory"
                           : mode_ == "cpu"    ? "cpu"
                                               : "wall";
  profile_.quality["import_stacks"] = stacks_;
  if (scale_ > 1) profile_.quality["import_scale"] = scale_;
  if (unread_ > 0) profile_.quality["import_left_out_lines"] = unread_;
  if (cut_frames_ > 0) profile_.quality["import_left_out_frames_of_deep_stacks"] = cut_frames_;
}

}  // namespace gprofx::importers
