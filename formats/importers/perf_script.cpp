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

std::string_view LastWord(std::string_view& text) {
  const size_t end = text.find_last_not_of(kBlanks);
  text = text.substr(0, end == std::string_view::npos ? 0 : end + 1);
  const size_t begin = text.find_last_of(kBlanks);
  const size_t at = begin == std::string_view::npos ? 0 : begin + 1;
  const std::string_view word = text.substr(at);
  text = text.substr(0, at);
  return word;
}

bool IsProcessor(std::string_view word) { return word.starts_with('[') && word.ends_with(']'); }

// The object of a frame stands in parentheses at its end: "name+0x1a (/usr/lib/libc.so.6)". Both
// may hold parentheses: "f() (/opt/App (x86)/a.so (deleted))".
struct NameAndObject {
  std::string_view name, object;
};
NameAndObject SplitFrame(std::string_view text) {
  constexpr std::string_view kDeleted = " (deleted))";
  if (!text.ends_with(')')) return {text, {}};
  size_t open = std::string_view::npos;
  int depth = 0;
  for (size_t i = text.size(); i-- > 0;) {
    if (text[i] == ')') ++depth;
    if (text[i] != '(' || --depth > 0) continue;
    if (i == 0 || text[i - 1] == ' ') open = i;
    break;
  }
  if (open == std::string_view::npos && text.rfind(" (") != std::string_view::npos) {
    open = text.rfind(" (") + 1;
  }
  if (open == std::string_view::npos) return {text, {}};
  NameAndObject parts{text.substr(0, open == 0 ? 0 : open - 1), text.substr(open + 1)};
  parts.object.remove_suffix(parts.object.ends_with(kDeleted) ? kDeleted.size() : 1);
  return parts;
}

}  // namespace

// "python3 123/124 [003]": a name may hold blanks, so ids are found from the end.
bool PerfScriptReader::ParseWho(std::string_view who, Header& header) {
  std::string_view word = LastWord(who);
  if (IsProcessor(word)) word = LastWord(who);
  if (!Ids(word, header.pid, header.tid)) return false;
  const size_t begin = who.find_first_not_of(kBlanks);
  const size_t end = who.find_last_not_of(kBlanks);
  header.comm =
      begin == std::string_view::npos ? std::string_view() : who.substr(begin, end - begin + 1);
  return true;
}

// The fields before an event may be without a time: "java 3244 1000 cycles:".
bool PerfScriptReader::ParseWithoutTime(std::string_view line, Header& header) {
  std::string_view rest = line;
  for (std::string_view word; !(word = NextWord(rest)).empty();) {
    if (!word.ends_with(':') || word.size() < 2) continue;
    std::string_view before = line.substr(0, static_cast<size_t>(word.data() - line.data()));
    std::string_view without_period = before;
    int64_t period = 0;
    if (Integer(LastWord(without_period), period) && ParseWho(without_period, header) &&
        !header.comm.empty()) {
      header.period = period;
    } else if (!ParseWho(before, header) || header.comm.empty()) {
      continue;
    }
    header.event = BareEvent(word);
    header.rest = rest;
    return true;
  }
  return false;
}

bool PerfScriptReader::Parse(std::string_view line, Header& header) {
  if (line.empty() || line[0] == '#' || line[0] == '\t') return false;
  header = {};
  std::string_view rest = line, word;
  do {
    word = NextWord(rest);
  } while (!word.empty() && !Time(word, header.time_ns));
  if (word.empty()) {
    header = {};
    if (!ParseWithoutTime(line, header)) return false;
  } else {
    if (!ParseWho(line.substr(0, static_cast<size_t>(word.data() - line.data())), header)) {
      return false;
    }
    word = NextWord(rest);
    if (Integer(word, header.period)) word = NextWord(rest);
    if (!word.ends_with(':')) return false;
    header.event = BareEvent(word);
    header.rest = rest;
  }
  const size_t more = header.rest.find_first_not_of(kBlanks);
  header.rest = more == std::string_view::npos ? std::string_view() : header.rest.substr(more);
  return true;
}

bool PerfScriptReader::IsRecord(std::string_view line) {
  return line.find(" PERF_RECORD_") != std::string_view::npos;
}

bool PerfScriptReader::IsHeader(std::string_view line) {
  Header header;
  return !IsRecord(line) && Parse(line, header);
}

PerfScriptReader::PerfScriptReader(Profile& profile, SampleSink sink)
    : profile_(profile),
      sink_(std::move(sink)),
      lines_([this](std::string_view line) { Take(line); }) {}

// A thread has its last name: that before exec(2) is of the program that started it.
ThreadId PerfScriptReader::Thread(int64_t pid, int64_t tid, std::string_view comm) {
  const auto found = threads_.find({pid, tid});
  if (found != threads_.end()) {
    gprofx::Thread& known = profile_.threads[found->second.index()];
    if (profile_.Text(known.name) != comm) {
      known.name = profile_.Intern(comm);
      if (pid == tid) profile_.processes[known.process.index()].name = known.name;
    }
    return found->second;
  }
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

PerfScriptReader::Event& PerfScriptReader::EventOf(const Header& header) {
  const bool is_time = IsCpuClock(header.event) && header.period > 0;
  const std::string name = is_time ? "cpu" : "perf_" + std::string(header.event);
  const auto found = events_.find(name);
  if (found != events_.end()) return found->second;
  if (events_.size() >= kMaxEvents) return events_["perf_other_events"];
  Event event;
  event.is_time = is_time;
  return events_[name] = event;
}

void PerfScriptReader::Begin(const Header& header) {
  in_sample_ = true;
  stack_.clear();
  thread_ = Thread(header.pid, header.tid, header.comm);
  event_ = &EventOf(header);
  if (!event_->metric) {
    const auto named = std::find_if(events_.begin(), events_.end(),
                                    [this](const auto& known) { return &known.second == event_; });
    event_->metric =
        profile_.AddMetric(named->first, event_->is_time ? "ns" : "count", MetricKind::kSampled);
  }
  weight_ = std::max<int64_t>(header.period < 0 ? 1 : header.period, 0);
  time_ns_ = header.time_ns;
  if (first_ns_ < 0) first_ns_ = time_ns_;
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
  // Without the field ip there is no address. Lines of sources, without a tab, are no frames.
  std::string_view rest = line;
  if (IsHex(NextWord(rest))) {
    line = rest;
  } else if (line[0] != '\t') {
    ++unread_;
    return;
  }
  auto [name, object] = SplitFrame(line);
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
  ++event_->samples;
  if (events_.size() == 1) ++samples_[{node, thread_}];
  profile_.AddSelf(node, thread_, event_->metric, weight_);
  if (time_ns_ < 0) return;
  SampleRow row;
  row.time = std::max<int64_t>(time_ns_ - first_ns_, 0);
  row.thread = thread_;
  row.node = node;
  row.weight = event_->is_time ? static_cast<uint32_t>(std::min<int64_t>(weight_, UINT32_MAX)) : 0;
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
  if (line[0] != '\t' && IsRecord(line)) {
    EndSample();
    ++records_;
  } else if (Parse(line, header)) {
    EndSample();
    Begin(header);
    if (!header.rest.empty()) TakeFrame(header.rest);
  } else if (in_sample_ && (line[0] == ' ' || line[0] == '\t')) {
    TakeFrame(line);
  } else if (line[0] != '#') {
    ++unread_;
  }
}

// Samples of several events are never added up.
void PerfScriptReader::AddSamples() {
  if (events_.size() != 1) {
    profile_.quality["samples"] = samples_count_;
    return;
  }
  const MetricId metric = profile_.AddMetric("samples", "count", MetricKind::kSampled);
  for (const auto& [place, count] : samples_) {
    profile_.AddSelf(place.first, place.second, metric, count);
  }
}

// The metric that is shown first: CPU time, else cycles, else the event with the most samples.
void PerfScriptReader::ChooseClock() {
  const auto rank = [](const auto& named) {
    const bool is_cycles = named.first.find("cycles") != std::string::npos;
    return std::pair(named.second.is_time ? 2 : is_cycles ? 1 : 0, named.second.samples);
  };
  const auto best =
      std::max_element(events_.begin(), events_.end(),
                       [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  profile_.meta["clock"] = best == events_.end() ? "samples" : best->first;
}

void PerfScriptReader::Finish() {
  lines_.Finish();
  EndSample();
  if (first_ns_ >= 0) profile_.meta["duration_ns"] = std::to_string(last_ns_);
  AddSamples();
  ChooseClock();
  if (unread_ > 0) profile_.quality["import_left_out_lines"] = unread_;
  if (records_ > 0) profile_.quality["import_left_out_records_of_processes"] = records_;
}

}  // namespace gprofx::importers
