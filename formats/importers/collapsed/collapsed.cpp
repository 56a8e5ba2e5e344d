#include "formats/importers/collapsed/collapsed.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/base/arithmetic.h"
#include "formats/importers/collapsed/frame_text.h"
#include "formats/importers/collapsed/stack_line.h"
#include "formats/importers/gather/limits.h"

namespace gprofx::importers {
namespace {

// Maximum sum of all values for which more decimal places are kept. The room above it is for the
// rest of the file.
constexpr int64_t kRoom = 1'000'000'000'000'000;
constexpr int kMaxWeightPlaces = 15;

// Returns the id in the name of a thread: 7 for "T7", "T0:7" and "tid:7", 0x7f01 for "T0x7f01:0".
// Ignores the number of the interpreter, which austin also writes.
int64_t TidOf(std::string_view name) {
  const size_t colon = std::min(name.rfind(':'), name.size());
  if (name.starts_with("T0x")) return NumberOf<int64_t>(name.substr(3, colon - 3), 16).value_or(0);
  const size_t begin = colon < name.size() ? colon + 1 : name.starts_with('T') ? 1 : 0;
  return NumberOf<int64_t>(name.substr(begin)).value_or(0);
}

bool IsThread(std::string_view frame, bool is_austin) {
  return (is_austin && frame.starts_with('T')) ||
         (frame.starts_with("tid:") && IsDigits(frame.substr(4)));
}

// Returns number * 10^power, or INT64_MAX if that does not fit.
int64_t TimesPower(int64_t number, int power) {
  int64_t product = 0;
  return __builtin_mul_overflow(number, PowerOfTen(power), &product) ? INT64_MAX : product;
}

}  // namespace

CollapsedReader::CollapsedReader(Profile& profile, bool is_austin)
    : profile_(profile),
      is_austin_(is_austin),
      most_places_(kMaxWeightPlaces),
      lines_([this](std::string_view line) { Take(line); }) {}

ProcessId CollapsedReader::Process(int64_t pid) {
  ProcessId& process = processes_[pid];
  if (process) return process;
  gprofx::Process row;
  row.pid = pid;
  profile_.processes.push_back(row);
  return process = ProcessId{static_cast<uint32_t>(profile_.processes.size())};
}

// Removes the process and the thread from the begin of a stack and returns the thread. They are
// "P42;T0:7;..." in files of austin, and "tid:7;..." in files of Python's own profiler. All other
// stacks belong to a single thread.
ThreadId CollapsedReader::Thread(std::string_view& stack) {
  const auto front = [&] { return stack.substr(0, stack.find(';')); };
  const auto pop = [&] { stack.remove_prefix(std::min(front().size() + 1, stack.size())); };
  int64_t pid = 0;
  if (is_austin_ && front().starts_with('P')) {
    if (const auto number = NumberOf<int64_t>(front().substr(1))) {
      pid = *number;
      pop();
    }
  }
  std::string name;
  if (IsThread(front(), is_austin_)) {
    name = front();
    pop();
  }
  const ProcessId process = Process(pid);
  if (threads_.size() >= kMaxThreads) return threads_.begin()->second;
  ThreadId& thread = threads_[{process, name}];
  if (thread) return thread;
  gprofx::Thread row;
  row.process = process;
  row.tid = TidOf(name);
  row.name = profile_.Intern(name);
  profile_.threads.push_back(row);
  return thread = ThreadId{static_cast<uint32_t>(profile_.threads.size())};
}

NodeId CollapsedReader::NodeOf(std::string_view rest) {
  NodeId node = profile_.root();
  for (size_t depth = 0; !rest.empty(); ++depth) {
    const size_t end = rest.find(';');
    const std::string_view frame = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    if (frame.empty()) continue;
    if (depth >= kMaxDepth || profile_.nodes.size() >= kMaxNodes) {
      ++cut_frames_;
      continue;
    }
    node = profile_.Child(node, FrameOfText(profile_, frame));
  }
  return node;
}

// Reads the comment "# mode: wall" of austin.
void CollapsedReader::TakeComment(std::string_view line) {
  constexpr std::string_view kMode = "# mode: ";
  if (is_austin_ && line.starts_with(kMode)) mode_ = line.substr(kMode.size());
}

// Adds a stack of austin. `value` is microseconds or bytes. With --full it has three parts: time,
// whether the thread was idle, bytes.
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

// Changes the number of decimal places of all values read so far. Counts the values that lose
// digits.
void CollapsedReader::SetPlaces(int places) {
  const int fewer = std::max(places_ - places, 0);
  total_ = 0;
  for (Value& value : profile_.values) {
    if (value.metric != samples_) continue;
    if (fewer > 0 && value.self % PowerOfTen(fewer) != 0) ++rounded_;
    value.self =
        fewer > 0 ? DividedByPower(value.self, fewer) : TimesPower(value.self, places - places_);
    total_ = AddSaturated(total_, value.self);
  }
  places_ = places;
}

// Raises the number of decimal places to that of `number`, as far as there is room.
void CollapsedReader::Refine(const Decimal& number) {
  const auto fits = [&](int places) {
    const auto own = AtScale(number, places);
    return own && *own < kRoom && TimesPower(total_, places - places_) < kRoom;
  };
  int places = std::min(number.places, most_places_);
  while (places > places_ && !fits(places)) --places;
  if (places > places_) SetPlaces(places);
}

// Returns `number` multiplied by 10^places_. Lowers places_ until the sum of all values fits. No
// value if it never fits.
std::optional<int64_t> CollapsedReader::Scaled(const Decimal& number) {
  Refine(number);
  const auto fits = [&](int places) {
    const auto count = AtScale(number, places);
    const int64_t total = DividedByPower(total_, places_ - places);
    return count && AddSaturated(total, *count) < INT64_MAX / 2;
  };
  int places = places_;
  while (places > 0 && !fits(places)) --places;
  if (places < places_) {
    SetPlaces(places);
    most_places_ = places;
  }
  const auto count = AtScale(number, places_);
  if (count && (number.is_rounded || number.places > places_)) ++rounded_;
  return count;
}

void CollapsedReader::AddCount(std::string_view stack, int64_t count) {
  const ThreadId thread = Thread(stack);
  const NodeId node = NodeOf(stack);
  if (!samples_) samples_ = profile_.AddMetric("samples", "count", MetricKind::kSampled);
  has_values_ = has_values_ || count > 0;
  if (count > 0) profile_.AddSelf(node, thread, samples_, count);
  total_ = AddSaturated(total_, count);
}

void CollapsedReader::TakeCount(std::string_view stack, std::string_view value) {
  const auto number = ParseDecimal(value);
  const auto count = number ? Scaled(*number) : std::nullopt;
  if (!count) {
    ++unread_;
    return;
  }
  const size_t blank = stack.find_last_of(" \t");
  if (blank != std::string_view::npos && IsDigits(stack.substr(blank + 1))) ++two_values_;
  AddCount(stack, *count);
  ++stacks_;
}

void CollapsedReader::Take(std::string_view text) {
  if (text.empty()) return;
  if (IsStackComment(text)) return TakeComment(text);
  const std::optional<StackLine> line = ParseStackLine(text);
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
  if (places_ > 0) profile_.quality["import_scale"] = scale();
  if (rounded_ > 0) profile_.quality["import_rounded_values"] = rounded_;
  if (unread_ > 0) profile_.quality["import_left_out_lines"] = unread_;
  if (cut_frames_ > 0) profile_.quality["import_left_out_frames_of_deep_stacks"] = cut_frames_;
}

}  // namespace gprofx::importers
