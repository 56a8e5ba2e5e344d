#include <algorithm>
#include <charconv>

#include "core/base/arithmetic.h"
#include "formats/importers/stack_texts.h"

namespace gprofx::importers {
namespace {

constexpr size_t kMaxNodes = 6'000'000, kMaxThreads = 65'536, kMaxEvents = 64;
constexpr size_t kDeepest = 4096;
constexpr char kBlanks[] = " \t";

std::string_view NextWord(std::string_view& text) {
  const size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  text.remove_prefix(begin);
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text.remove_prefix(word.size());
  return word;
}

bool Integer(std::string_view text, int64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

// Parses "1234.567890:", seconds with six decimals, or nine with --ns.
bool Time(std::string_view word, int64_t& ns) {
  if (!word.ends_with(':')) return false;
  word.remove_suffix(1);
  const size_t point = word.find('.');
  if (point == std::string_view::npos) return false;
  const std::string_view fraction = word.substr(point + 1);
  int64_t seconds = 0, part = 0;
  if (!Integer(word.substr(0, point), seconds) || !Integer(fraction, part)) return false;
  if (seconds < 0 || part < 0 || fraction.size() > 9 || seconds > 4'000'000'000) return false;
  for (size_t i = fraction.size(); i < 9; ++i) part *= 10;
  ns = seconds * 1'000'000'000 + part;
  return true;
}

// "123" or "123/456"
bool Ids(std::string_view word, int64_t& pid, int64_t& tid) {
  const size_t slash = word.find('/');
  if (slash == std::string_view::npos) {
    pid = -1;
    return Integer(word, tid);
  }
  return Integer(word.substr(0, slash), pid) && Integer(word.substr(slash + 1), tid);
}

bool IsHex(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// True for events whose period is CPU time in ns.
bool IsCpuClock(std::string_view event) {
  return event.starts_with("cpu-clock") || event.starts_with("task-clock");
}

// "cycles:ppp:" -> "cycles"
std::string_view BareEvent(std::string_view event) {
  while (event.ends_with(':')) event.remove_suffix(1);
  const size_t colon = event.rfind(':');
  if (colon != std::string_view::npos &&
      event.find_first_not_of("ukhHGDIpPSeW", colon + 1) == std::string_view::npos) {
    event = event.substr(0, colon);
  }
  return event;
}

}  // namespace

bool PerfScriptReader::Parse(std::string_view line, Header& header) {
  if (line.empty() || line[0] == '#' || line[0] == '\t') return false;
  // A thread's name may hold blanks, so find the time first; the ids are right before it.
  std::string_view rest = line;
  std::string_view before, last;
  bool found = false;
  while (!rest.empty()) {
    const std::string_view word = NextWord(rest);
    if (word.empty()) return false;
    if (Time(word, header.time_ns)) {
      before = line.substr(0, static_cast<size_t>(word.data() - line.data()));
      found = true;
      break;
    }
  }
  if (!found) return false;
  const auto take_last = [&before] {
    const size_t end = before.find_last_not_of(kBlanks);
    before = before.substr(0, end == std::string_view::npos ? 0 : end + 1);
    const size_t begin = before.find_last_of(kBlanks);
    const size_t at = begin == std::string_view::npos ? 0 : begin + 1;
    const std::string_view word = before.substr(at);
    before = before.substr(0, at);
    return word;
  };
  last = take_last();
  if (last.starts_with('[') && last.ends_with(']')) last = take_last();
  if (!Ids(last, header.pid, header.tid)) return false;
  const size_t begin = before.find_first_not_of(kBlanks);
  const size_t end = before.find_last_not_of(kBlanks);
  header.comm =
      begin == std::string_view::npos ? std::string_view() : before.substr(begin, end - begin + 1);
  std::string_view word = NextWord(rest);
  header.period = 0;
  if (Integer(word, header.period)) word = NextWord(rest);
  if (!word.ends_with(':')) return false;
  header.event = BareEvent(word);
  const size_t more = rest.find_first_not_of(kBlanks);
  header.rest = more == std::string_view::npos ? std::string_view() : rest.substr(more);
  return true;
}

bool PerfScriptReader::IsHeader(std::string_view line) {
  Header header;
  return Parse(line, header);
}

PerfScriptReader::PerfScriptReader(Profile& profile, SampleSink sink)
    : profile_(profile),
      sink_(std::move(sink)),
      samples_(profile.AddMetric("samples", "count", MetricKind::kSampled)),
      lines_([this](std::string_view line) { Take(line); }) {}

ThreadId PerfScriptReader::Thread(int64_t pid, int64_t tid, std::string_view comm) {
  const auto found = threads_.find({pid, tid});
  if (found != threads_.end()) return found->second;
  if (threads_.size() >= kMaxThreads) return threads_.begin()->second;
  // Without process ids, all threads belong to one unknown process.
  ProcessId& process = processes_[pid];
  if (!process) {
    Process row;
    row.pid = std::max<int64_t>(pid, 0);
    if (pid >= 0) row.name = profile_.Intern(comm);
    profile_.processes.push_back(row);
    process = ProcessId{static_cast<uint32_t>(profile_.processes.size())};
  }
  gprofx::Thread row;
  row.process = process;
  row.tid = tid;
  row.name = profile_.Intern(comm);
  profile_.threads.push_back(row);
  return threads_[{pid, tid}] = ThreadId{static_cast<uint32_t>(profile_.threads.size())};
}

ModuleId PerfScriptReader::Module(std::string_view path) {
  if (path.empty() || path == "[unknown]" || path == "inlined") return {};
  const auto found = modules_.find(path);
  if (found != modules_.end()) return found->second;
  gprofx::Module row;
  row.path = profile_.Intern(path);
  profile_.modules.push_back(row);
  const ModuleId id{static_cast<uint32_t>(profile_.modules.size())};
  modules_.emplace(path, id);
  return id;
}

void PerfScriptReader::Begin(const Header& header) {
  in_sample_ = true;
  stack_.clear();
  thread_ = Thread(header.pid, header.tid, header.comm);
  metric_ = {};
  period_ = std::max<int64_t>(header.period, 0);
  time_ns_ = header.time_ns;
  if (first_ns_ < 0) first_ns_ = time_ns_;
  if (period_ == 0) return;
  const auto found = metrics_.find(header.event);
  if (found != metrics_.end()) {
    metric_ = found->second;
  } else if (metrics_.size() < kMaxEvents) {
    const bool is_time = IsCpuClock(header.event);
    metric_ = is_time ? profile_.AddMetric("cpu", "ns", MetricKind::kSampled)
                      : profile_.AddMetric("perf_" + std::string(header.event), "count",
                                           MetricKind::kSampled);
    if (is_time) profile_.meta["clock"] = "cpu";
    metrics_.emplace(header.event, metric_);
  }
}

// Parses "  7f12 name+0x1a (/usr/lib/libc.so.6)". Python's perf trampolines are named
// "py::function:/path/file.py".
void PerfScriptReader::TakeFrame(std::string_view line) {
  if (stack_.size() >= kDeepest) return;
  if (const auto found = frames_.find(line); found != frames_.end()) {
    stack_.push_back(found->second);
    return;
  }
  const std::string_view whole = line;
  const std::string_view address = NextWord(line);
  if (!IsHex(address)) {
    ++unread_;
    return;
  }
  std::string_view name = line, object;
  const size_t open = line.rfind(" (");
  if (open != std::string_view::npos && line.ends_with(')')) {
    object = line.substr(open + 2, line.size() - open - 3);
    name = line.substr(0, open);
  }
  name.remove_prefix(std::min(name.find_first_not_of(kBlanks), name.size()));
  const size_t offset = name.rfind("+0x");
  if (offset != std::string_view::npos && IsHex(name.substr(offset + 3))) {
    name = name.substr(0, offset);
  }
  Frame frame;
  frame.kind = object == "inlined" ? FrameKind::kInlined : FrameKind::kNative;
  frame.module = Module(object);
  if (!name.empty() && name != "[unknown]") {
    Function function;
    if (name.starts_with("py::")) {
      frame.kind = FrameKind::kPython;
      frame.module = {};
      name.remove_prefix(4);
      const size_t colon =
          name.find(":/") != std::string_view::npos ? name.find(":/") : name.rfind(":<");
      if (colon != std::string_view::npos) {
        function.file = profile_.Intern(name.substr(colon + 1));
        name = name.substr(0, colon);
      }
    }
    function.name = profile_.Intern(name);
    function.module = frame.module;
    frame.function = profile_.Intern(function);
  } else {
    frame.kind = frame.module ? FrameKind::kNative : FrameKind::kUnknown;
  }
  const FrameId id = profile_.Intern(frame);
  if (frames_.size() < kMaxNodes) frames_.emplace(whole, id);
  stack_.push_back(id);
}

void PerfScriptReader::EndSample() {
  if (!in_sample_) return;
  in_sample_ = false;
  NodeId node = profile_.root();
  for (size_t i = stack_.size(); i-- > 0;) {
    if (profile_.nodes.size() >= kMaxNodes) break;
    node = profile_.Child(node, stack_[i]);
  }
  ++samples_count_;
  profile_.AddSelf(node, thread_, samples_, 1);
  if (metric_) profile_.AddSelf(node, thread_, metric_, period_);
  SampleRow row;
  row.time = std::max<int64_t>(time_ns_ - first_ns_, 0);
  row.thread = thread_;
  row.node = node;
  const bool is_time = metric_ && profile_.metrics[metric_.index()].unit == "ns";
  row.weight = is_time ? static_cast<uint32_t>(std::min<int64_t>(period_, UINT32_MAX)) : 0;
  last_ns_ = std::max(last_ns_, row.time);
  gprofx::Thread& thread = profile_.threads[thread_.index()];
  if (thread.end == 0) thread.start = row.time;
  thread.end = std::max<HostNs>(thread.end, row.time);
  ++profile_.sample_rows;
  sink_(row);
}

void PerfScriptReader::Take(std::string_view line) {
  if (line.find_first_not_of(kBlanks) == std::string_view::npos) return EndSample();
  Header header;
  if (Parse(line, header)) {
    EndSample();
    Begin(header);
    if (!header.rest.empty()) TakeFrame(header.rest);
  } else if (in_sample_ && (line[0] == ' ' || line[0] == '\t')) {
    TakeFrame(line);
  } else if (line[0] != '#') {
    ++unread_;
  }
}

void PerfScriptReader::Finish() {
  lines_.Finish();
  EndSample();
  profile_.meta["duration_ns"] = std::to_string(last_ns_);
  profile_.meta.try_emplace("clock", "samples");
  if (unread_ > 0) profile_.quality["import_left_out_lines"] = unread_;
}

}  // namespace gprofx::importers
