#include "formats/importers/perf/perf_script.h"

#include <algorithm>

#include "core/base/text.h"
#include "formats/importers/gather/limits.h"
#include "formats/importers/perf/perf_frame.h"
#include "formats/importers/perf/words.h"

namespace gprofx::importers {
namespace {

// True for events whose period is CPU time in ns.
bool IsCpuClock(std::string_view event) {
  return event.starts_with("cpu-clock") || event.starts_with("task-clock");
}

// Parses the name of a frame of Python's perf trampolines: "fib:/home/me/fib.py".
Function PythonFunction(std::string_view name, Profile& profile) {
  Function function;
  const size_t path = name.find(":/");
  const size_t colon = path != std::string_view::npos ? path : name.rfind(":<");
  if (colon != std::string_view::npos) {
    function.file = profile.Intern(name.substr(colon + 1));
    name = name.substr(0, colon);
  }
  function.name = profile.Intern(name);
  return function;
}

// True for lines that perf prints within a sample after its stack: registers, branches, sources.
bool IsFurtherField(std::string_view line) {
  return line[0] == ' ' || line[0] == '\t' || line[0] == '|' || line.starts_with("ABI:") ||
         IsHexNumber(Trimmed(line));
}

}  // namespace

bool PerfScriptReader::IsSampleLine(std::string_view line) {
  PerfHeader header;
  return IsPerfStackLine(line) || (!IsPerfRecord(line) && ParsePerfHeader(line, header));
}

PerfScriptReader::PerfScriptReader(Profile& profile, SampleSink sink)
    : profile_(profile),
      sink_(std::move(sink)),
      lines_([this](std::string_view line) { Take(line); }) {}

// Returns the process of a sample. If the file has no process ids, all threads belong to one
// unknown process.
ProcessId PerfScriptReader::Process(const PerfHeader& header) {
  ProcessId& process = processes_[{header.machine, header.pid}];
  if (process) return process;
  gprofx::Process row;
  row.pid = std::max<int64_t>(header.pid, 0);
  if (header.pid >= 0) row.name = profile_.Intern(header.comm);
  profile_.processes.push_back(row);
  return process = ProcessId{static_cast<uint32_t>(profile_.processes.size())};
}

// Returns the thread of a sample. A thread gets its last name, because before execve(2) it has the
// name of the program that started it.
ThreadId PerfScriptReader::Thread(const PerfHeader& header) {
  const ThreadKey key{header.machine, header.pid, header.tid};
  const auto found = threads_.find(key);
  if (found != threads_.end()) {
    gprofx::Thread& known = profile_.threads[found->second.index()];
    if (profile_.Text(known.name) != header.comm) {
      known.name = profile_.Intern(header.comm);
      if (header.pid == header.tid && header.pid >= 0) {
        profile_.processes[known.process.index()].name = known.name;
      }
    }
    return found->second;
  }
  if (threads_.size() >= kMaxThreads) return threads_.begin()->second;
  gprofx::Thread row;
  row.process = Process(header);
  row.tid = std::max<int64_t>(header.tid, 0);
  row.name = profile_.Intern(header.comm);
  profile_.threads.push_back(row);
  return threads_[key] = ThreadId{static_cast<uint32_t>(profile_.threads.size())};
}

ModuleId PerfScriptReader::Module(std::string_view path) {
  if (path.empty() || path == "inlined") return {};
  const auto found = modules_.find(path);
  if (found != modules_.end()) return found->second;
  gprofx::Module row;
  row.path = profile_.Intern(path);
  profile_.modules.push_back(row);
  const ModuleId id{static_cast<uint32_t>(profile_.modules.size())};
  modules_.emplace(path, id);
  return id;
}

// Returns the event of a sample; null if there are too many events.
PerfScriptReader::Event* PerfScriptReader::EventOf(const PerfHeader& header) {
  const bool is_time = IsCpuClock(header.event) && header.period > 0;
  const bool is_cpu = is_time && (cpu_ == nullptr || header.event == cpu_event_);
  const std::string_view event = header.event.empty() ? "unknown" : header.event;
  const std::string name = is_cpu ? "cpu" : "perf_" + std::string(event);
  const auto found = events_.find(name);
  if (found != events_.end()) return &found->second;
  if (events_.size() >= kMaxEvents) return nullptr;
  Event& added = events_[name];
  added.is_time = is_time;
  added.metric = profile_.AddMetric(name, is_time ? "ns" : "count", MetricKind::kSampled);
  if (is_cpu) {
    cpu_ = &added;
    cpu_event_ = header.event;
  }
  return &added;
}

void PerfScriptReader::Begin(const PerfHeader& header) {
  in_sample_ = true;
  stack_.clear();
  tail_ = header.rest;
  event_ = EventOf(header);
  if (event_ == nullptr) return;
  thread_ = Thread(header);
  weight_ = std::max<int64_t>(header.period < 0 ? 1 : header.period, 0);
  time_ns_ = header.time_ns;
  if (first_ns_ < 0) first_ns_ = time_ns_;
}

FrameId PerfScriptReader::FrameOf(std::string_view text) {
  std::string_view rest = text;
  const bool has_address = IsHexNumber(TakeFirstWord(rest).text);
  auto [name, object] = SplitPerfFrame(has_address ? rest : text);
  Frame frame;
  frame.kind = object == "inlined" ? FrameKind::kInlined : FrameKind::kNative;
  frame.module = Module(object);
  Function function;
  if (name.starts_with("py::")) {
    frame.kind = FrameKind::kPython;
    frame.module = {};
    function = PythonFunction(name.substr(4), profile_);
  } else if (!name.empty()) {
    function.name = profile_.Intern(name);
    function.module = frame.module;
  } else {
    frame.kind = frame.module ? FrameKind::kNative : FrameKind::kUnknown;
  }
  if (!name.empty()) frame.function = profile_.Intern(function);
  return profile_.Intern(frame);
}

void PerfScriptReader::TakeFrame(std::string_view text) {
  if (event_ == nullptr) return;
  if (stack_.size() >= kMaxDepth) {
    ++cut_frames_;
    return;
  }
  const auto found = frames_.find(text);
  if (found != frames_.end()) return stack_.push_back(found->second);
  const FrameId id = FrameOf(text);
  if (frames_.size() < kMaxNodes) frames_.emplace(text, id);
  stack_.push_back(id);
}

// Takes the frame of a sample without a stack from the line of its event. If other samples of the
// event have stacks, an address without a name is the address of data and not a frame.
void PerfScriptReader::FindFrameBehindEvent() {
  const std::string_view tail = Trimmed(tail_);
  std::string_view frame;
  if (!stack_.empty()) {
    event_->has_stacks = true;
  } else {
    frame = PerfFrameBehindEvent(tail_);
    if (event_->has_stacks && !Contains(frame, " ")) frame = {};
  }
  if (!frame.empty()) TakeFrame(frame);
  if (frame.size() < tail.size()) ++further_;
}

NodeId PerfScriptReader::NodeOfStack() {
  NodeId node = profile_.root();
  for (size_t i = stack_.size(); i-- > 0;) {
    if (profile_.nodes.size() >= kMaxNodes) {
      cut_frames_ += static_cast<int64_t>(i) + 1;
      break;
    }
    node = profile_.Child(node, stack_[i]);
  }
  return node;
}

void PerfScriptReader::AddRow(NodeId node) {
  SampleRow row;
  row.time = std::max<int64_t>(time_ns_ - first_ns_, 0);
  row.thread = thread_;
  row.node = node;
  row.weight = event_ == cpu_ ? static_cast<uint32_t>(std::min<int64_t>(weight_, UINT32_MAX)) : 0;
  last_ns_ = std::max(last_ns_, row.time);
  gprofx::Thread& thread = profile_.threads[thread_.index()];
  if (thread.end == 0) thread.start = row.time;
  // At least 1: an end of 0 means that there was no sample yet.
  thread.end = std::max<HostNs>({thread.end, row.time, 1});
  ++profile_.sample_rows;
  sink_(row);
}

void PerfScriptReader::AddSample() {
  FindFrameBehindEvent();
  const NodeId node = NodeOfStack();
  ++samples_count_;
  ++event_->samples;
  if (events_.size() == 1) ++samples_[{node, thread_}];
  profile_.AddSelf(node, thread_, event_->metric, weight_);
  if (time_ns_ >= 0) AddRow(node);
}

void PerfScriptReader::EndSample() {
  if (!in_sample_) return;
  in_sample_ = false;
  if (event_ == nullptr) {
    ++other_events_;
  } else {
    AddSample();
  }
  stack_.clear();
}

void PerfScriptReader::ForgetLineAbove() {
  if (!above_.empty()) ++unread_;
  above_.clear();
}

// True for a line of a stack. A tab may have become blanks, because programs that display or copy
// text replace tabs.
bool PerfScriptReader::IsStackLine(std::string_view line) const {
  if (line[0] == '\t') return IsPerfStackLine(line) || line.ends_with(')');
  return !has_tabs_ && IsPerfStackLineWithoutTab(line);
}

void PerfScriptReader::TakeWithinSample(std::string_view line) {
  if (IsStackLine(line)) {
    has_tabs_ = has_tabs_ || line[0] == '\t';
    TakeFrame(line);
  } else if (IsFurtherField(line)) {
    ++further_;
  } else if (line[0] != '#') {
    ++unread_;
  }
}

// Takes a line outside of a sample. The line is kept: if a stack follows, it is a header, even if
// it does not look like one.
void PerfScriptReader::TakeOutside(std::string_view line) {
  if (IsPerfStackLine(line)) {
    Begin(ParseLineAboveStack(above_));
    above_.clear();
    TakeWithinSample(line);
  } else if (line[0] != '#') {
    ForgetLineAbove();
    above_ = line;
  }
}

// Takes any line. A blank line ends a stack. Within a stack, a header must have a time, because
// fields after a stack may look like a header without one.
void PerfScriptReader::Take(std::string_view line) {
  PerfHeader header;
  if (Trimmed(line).empty()) {
    EndSample();
    ForgetLineAbove();
  } else if (line[0] != '\t' && IsPerfRecord(line)) {
    EndSample();
    ++records_;
  } else if (ParsePerfHeader(line, header) && (stack_.empty() || header.time_ns >= 0)) {
    EndSample();
    ForgetLineAbove();
    Begin(header);
  } else if (in_sample_) {
    TakeWithinSample(line);
  } else {
    TakeOutside(line);
  }
}

// Adds the metric "samples" if there is only one event. Samples of several events are never added
// up.
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

// Chooses the metric that views show by default: CPU time, else cycles, else the event with the
// most samples.
void PerfScriptReader::ChooseClock() {
  const auto rank = [this](const auto& named) {
    const bool is_cycles = Contains(named.first, "cycles");
    return std::pair(&named.second == cpu_ ? 2 : is_cycles ? 1 : 0, named.second.samples);
  };
  const auto best =
      std::max_element(events_.begin(), events_.end(),
                       [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  profile_.meta["clock"] = best == events_.end() ? "samples" : best->first;
}

void PerfScriptReader::Finish() {
  lines_.Finish();
  EndSample();
  ForgetLineAbove();
  if (first_ns_ >= 0) profile_.meta["duration_ns"] = std::to_string(last_ns_);
  AddSamples();
  ChooseClock();
  const auto leave_out = [this](const char* what, int64_t count) {
    if (count > 0) profile_.quality[std::string("import_left_out_") + what] = count;
  };
  leave_out("lines", unread_);
  leave_out("records_of_processes", records_);
  leave_out("further_fields", further_);
  leave_out("samples_of_further_events", other_events_);
  leave_out("frames_of_deep_stacks", cut_frames_);
}

}  // namespace gprofx::importers
