#include "formats/importers/trace_gather.h"

#include <algorithm>

#include "core/base/arithmetic.h"
#include "core/events/backward_marker.h"
#include "formats/importers/call_words.h"

namespace gprofx::importers {
namespace {

constexpr size_t kRowsAtOnce = size_t{1} << 16;
constexpr int64_t kLastTime = INT64_MAX / 2;
// Work that begins at time 0 has no known time, unless the trace itself begins there.
constexpr int64_t kMaxFromZero = 1'000'000'000;

}  // namespace

ProcessId TraceGather::Process(int64_t pid) {
  ProcessId& process = processes_[pid];
  if (!process) {
    gprofx::Process row;
    row.pid = pid;
    profile_.processes.push_back(row);
    process = ProcessId{static_cast<uint32_t>(profile_.processes.size())};
  }
  return process;
}

ThreadId TraceGather::AddThread(ProcessId process, int64_t tid) {
  gprofx::Thread row;
  row.process = process;
  row.tid = tid;
  profile_.threads.push_back(row);
  spans_.emplace_back();
  return ThreadId{static_cast<uint32_t>(profile_.threads.size())};
}

ThreadId TraceGather::Thread(int64_t pid, int64_t tid) {
  const auto found = threads_.find({pid, tid});
  if (found != threads_.end()) return found->second;
  if (threads_.size() >= kMaxThreads) {
    LeaveOut("names_of_threads");
    return threads_.begin()->second;
  }
  return threads_[{pid, tid}] = AddThread(Process(pid), tid);
}

ThreadId TraceGather::OrphanThread(int64_t tid) {
  if (orphans_.size() >= kMaxThreads) return orphans_.begin()->second;
  ThreadId& thread = orphans_[tid];
  if (!thread) thread = AddThread({}, tid);
  return thread;
}

void TraceGather::NameKnownProcess(int64_t pid, std::string_view name) {
  const auto found = processes_.find(pid);
  if (found != processes_.end()) {
    profile_.processes[found->second.index()].name = profile_.Intern(name);
  }
}

void TraceGather::NameKnownThread(int64_t pid, int64_t tid, std::string_view name) {
  const auto found = threads_.find({pid, tid});
  if (found != threads_.end()) {
    profile_.threads[found->second.index()].name = profile_.Intern(name);
  }
}

void TraceGather::DescribeProcess(int64_t pid, std::string_view word) {
  const auto found = processes_.find(pid);
  if (found == processes_.end()) return;
  gprofx::Process& row = profile_.processes[found->second.index()];
  row.name = profile_.Intern(word);
  row.pid = NumberAtEnd(word);
  groups_[found->second] = profile_.Intern(WithoutNumberAtEnd(word));
}

void TraceGather::DescribeThread(int64_t pid, int64_t tid, std::string_view word) {
  const auto found = threads_.find({pid, tid});
  if (found == threads_.end()) return;
  gprofx::Thread& row = profile_.threads[found->second.index()];
  row.name = profile_.Intern(word);
  row.tid = NumberAtEnd(word);
}

bool TraceGather::DropThread(int64_t pid, int64_t tid) {
  const auto found = threads_.find({pid, tid});
  if (found == threads_.end()) return false;
  spans_[found->second.index()].clear();
  return true;
}

FrameId TraceGather::Frame(FrameKind kind, std::string_view name, std::string_view file,
                           uint32_t line) {
  Function function;
  function.name = profile_.Intern(name);
  function.file = profile_.Intern(file);
  function.first_line = line;
  gprofx::Frame frame;
  frame.kind = kind;
  frame.function = profile_.Intern(function);
  return profile_.Intern(frame);
}

bool TraceGather::See(int64_t start, int64_t duration) {
  if (start < 0 || duration < 0 || start > kLastTime) {
    LeaveOut("events_without_a_time");
    return false;
  }
  if (duration > UsualTimes::kLongest) {
    LeaveOut("events_at_impossible_times");
    return false;
  }
  usual_.Add(start, start + duration);
  return true;
}

// Time 0 may be a time that the driver did not know.
bool TraceGather::SeeWork(int64_t start, int64_t duration) {
  return (start == 0 && duration >= 0 && duration <= UsualTimes::kLongest) || See(start, duration);
}

void TraceGather::AddHost(ThreadId thread, const HostSpan& span) {
  if (!See(span.start, span.duration)) return;
  spans_[thread.index()].push_back(span);
  const ProcessId process = profile_.thread(thread).process;
  if (!process) return;
  turns_ += process != latest_ ? 1 : 0;
  latest_ = process;
}

uint32_t TraceGather::AddConfig(std::string_view kernel, const GpuKernelConfig& config) {
  const auto [named, is_new] = kernels_.try_emplace(std::string(kernel));
  if (is_new) named->second = timeline_.NameKernel(kernel);
  GpuKernelConfig whole = config;
  whole.function = named->second.function;
  const auto [found, added] =
      config_index_.try_emplace(whole, static_cast<uint32_t>(configs_.size()));
  if (added) configs_.emplace_back(named->second, whole);
  return found->second;
}

void TraceGather::AddWork(const TraceWork& work) {
  if (!SeeWork(work.start, work.duration)) return;
  work_.push_back(work);
  work_.back().before = latest_;
}

void TraceGather::AddSync(const TraceSync& sync) {
  if (!SeeWork(sync.start, sync.duration)) return;
  syncs_.push_back(sync);
  syncs_.back().before = latest_;
}

// Does not extend the time range of the trace, which covers only what ran.
void TraceGather::AddMemory(const TraceMemory& memory) {
  if (memory.time < 0 || memory.time > kLastTime) return LeaveOut("events_without_a_time");
  memory_[memory.thread].push_back(memory);
}

void TraceGather::AddMarker(const TraceMarker& marker) {
  if (See(marker.start, marker.duration)) markers_.push_back(marker);
}

void TraceGather::AddDevice(ProcessId process, uint32_t number, const GpuDeviceFacts& facts,
                            uint32_t shown) {
  if (devices_.size() < GpuPlaces::kMaxDevices) devices_[{process, number}] = {facts, shown};
}

void TraceGather::LeaveOut(const std::string& what, int64_t count) {
  if (count != 0) profile_.quality["import_left_out_" + what] += count;
}

uint32_t TraceGather::AddWorkOf(const OperatorWork& work) {
  const auto next = static_cast<uint32_t>(operator_work_.size() + 1);
  const auto [found, is_new] = operator_work_index_.try_emplace({work.flop, work.bytes}, next);
  if (is_new) operator_work_.push_back(work);
  return found->second;
}

bool TraceGather::IsModule(FrameId id) const {
  const gprofx::Frame& frame = profile_.frame(id);
  return frame.kind == FrameKind::kOperator && frame.function &&
         profile_.Text(profile_.function(frame.function).name).starts_with("nn.Module: ");
}

// Prepares the search for forward operators. Only needed if the trace has modules: without modules,
// the path of the forward pass adds nothing to the name of the backward span.
void TraceGather::JoinForward() {
  bool has_modules = false;
  for (uint32_t i = 1; i <= profile_.frames.size() && !has_modules; ++i) {
    has_modules = IsModule(FrameId{i});
  }
  if (!has_modules) return;
  forward_.emplace(profile_);
  for (size_t i = 0; i < spans_.size(); ++i) {
    const ThreadId thread{static_cast<uint32_t>(i + 1)};
    for (const HostSpan& span : spans_[i]) forward_->Add(thread, span);
  }
  forward_->Finish();
  if (forward_->empty()) forward_.reset();
}

// Forward threads come first, because backward work is placed relative to their nodes.
std::vector<size_t> TraceGather::ThreadOrder() const {
  std::vector<size_t> order(spans_.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (!forward_) return order;
  std::stable_partition(order.begin(), order.end(), [&](size_t i) {
    return std::none_of(spans_[i].begin(), spans_[i].end(),
                        [](const HostSpan& span) { return span.is_backward; });
  });
  return order;
}

// Returns the node to place a span under. For a backward span, inserts below the caller a marker
// and then the modules and the operator of the forward pass.
NodeId TraceGather::CallerOf(ThreadId thread, const HostSpan& span, NodeId caller) {
  if (!forward_ || !span.is_backward) return caller;
  const std::optional<SpanKey> forward = forward_->ForwardOf(thread, span);
  if (!forward) return caller;
  // The span of the autograd engine and the node's own span within it carry the same number. Only
  // the outer one is moved.
  const bool inside = span.sequence == backward_.sequence && span.start >= backward_.start &&
                      span.start < backward_.start + backward_.duration;
  const auto found = forward_nodes_.find(*forward);
  if (inside || found == forward_nodes_.end()) return caller;
  constexpr size_t kMaxFrames = 1000;  // checked
  std::vector<FrameId> path;
  bool has_module = false;
  NodeId node = found->second;
  for (size_t i = 0; i < kMaxFrames && profile_.node(node).parent;
       ++i, node = profile_.node(node).parent) {
    const FrameId frame = profile_.node(node).frame;
    const bool is_module = IsModule(frame);
    has_module = has_module || is_module;
    if (is_module || node == found->second) path.push_back(frame);
  }
  if (!has_module) return caller;
  backward_ = span;
  if (!backward_marker_) backward_marker_ = Frame(FrameKind::kMarker, kBackwardMarker);
  caller = profile_.Child(caller, backward_marker_);
  for (auto frame = path.rbegin(); frame != path.rend(); ++frame) {
    caller = profile_.Child(caller, *frame);
  }
  return caller;
}

// Places thread by thread; the spans of a thread are freed as soon as they are placed.
void TraceGather::PlaceHost() {
  const bool any = std::any_of(spans_.begin(), spans_.end(),
                               [](const std::deque<HostSpan>& spans) { return !spans.empty(); });
  if (!any) return;
  const MetricId metric = profile_.AddMetric(kMetricHost, "ns", MetricKind::kExact);
  profile_.meta["clock"] = kMetricHost;
  CutSpans cut;
  MetricId flop, bytes;
  if (!operator_work_.empty()) {
    flop = profile_.AddMetric(kMetricOperatorFlop, "count", MetricKind::kExact);
    bytes = profile_.AddMetric(kMetricOperatorBytes, "bytes", MetricKind::kExact);
  }
  JoinForward();
  for (const size_t i : ThreadOrder()) {
    std::deque<HostSpan>& spans = spans_[i];
    if (spans.empty()) continue;
    const ThreadId thread{static_cast<uint32_t>(i + 1)};
    backward_ = {};
    const auto caller_of = [&](const HostSpan& span, NodeId caller) {
      return CallerOf(thread, span, caller);
    };
    const ProcessId process = profile_.thread(thread).process;
    const auto memory = memory_.find(thread);
    here_.clear();
    int64_t last = 0, waits_until = INT64_MIN;
    const auto placed = [&](const HostSpan& span, NodeId caller, NodeId own, int64_t end) {
      last = std::max(last, end);
      if (memory != memory_.end()) here_.push_back({span.start, end, own});
      if (span.correlation != 0) {
        calls_.Add({span.correlation, process, thread, own, span.start, span.duration});
      }
      if (span.work != 0) {
        profile_.AddSelf(own, thread, flop, operator_work_[span.work - 1].flop);
        profile_.AddSelf(own, thread, bytes, operator_work_[span.work - 1].bytes);
      }
      if (forward_ && span.sequence >= 0 && !span.is_backward) {
        forward_nodes_[{thread, span.start, span.duration}] = own;
      }
      const gprofx::Frame& frame = profile_.frame(span.frame);
      // A call of the runtime waits in a call of the driver: one wait, and the outer one has it
      // all.
      if (frame.kind == FrameKind::kCudaApi && end > waits_until) {
        waits_until = end;
        waits_.push_back({span.start, end, thread, caller, profile_.function(frame.function).name});
      }
    };
    const CutSpans cut_here =
        PlaceSpans(spans, thread, metric, GpuTimeline::kMaxNodes, profile_, caller_of, placed);
    if (memory != memory_.end()) PlaceMemory(memory->second);
    cut.spans += cut_here.spans;
    cut.ns = AddSaturated(cut.ns, cut_here.ns);
    profile_.threads[i].start = Moved(spans.front().start);
    profile_.threads[i].end = Moved(last);
    std::deque<HostSpan>().swap(spans);
  }
  if (cut.spans == 0) return;
  profile_.quality["import_cut_spans"] = cut.spans;
  profile_.quality["import_cut_ns"] = cut.ns;
}

// Places memory events below the innermost span of their thread.
void TraceGather::PlaceMemory(std::vector<TraceMemory>& memory) {
  const auto outer_first = [](const Placed& a, const Placed& b) {
    return a.start != b.start ? a.start < b.start
           : a.end != b.end   ? a.end > b.end
                              : a.node < b.node;
  };
  std::sort(here_.begin(), here_.end(), outer_first);
  std::stable_sort(memory.begin(), memory.end(),
                   [](const TraceMemory& a, const TraceMemory& b) { return a.time < b.time; });
  std::vector<const Placed*> open;
  size_t next = 0;
  for (TraceMemory& event : memory) {
    for (; next < here_.size() && here_[next].start <= event.time; ++next) {
      while (!open.empty() && open.back()->end <= here_[next].start) open.pop_back();
      open.push_back(&here_[next]);
    }
    while (!open.empty() && open.back()->end <= event.time) open.pop_back();
    if (!open.empty()) event.node = open.back()->node;
  }
}

void TraceGather::FeedMemory() {
  std::vector<TraceMemory> all;
  for (const auto& [_, memory] : memory_) all.insert(all.end(), memory.begin(), memory.end());
  std::stable_sort(all.begin(), all.end(),
                   [](const TraceMemory& a, const TraceMemory& b) { return a.time < b.time; });
  for (const TraceMemory& memory : all) {
    MemoryEvent event;
    event.time = std::clamp<int64_t>(Moved(memory.time), 0, last_ - first_);
    event.thread = memory.thread;
    event.node = memory.node;
    event.address = memory.address;
    event.bytes = memory.bytes;
    event.source = MemorySource::kFramework;
    event.allocated = memory.allocated;
    event.reserved = memory.reserved;
    Builder(profile_.thread(memory.thread).process).AddMemory(event, memory.device);
  }
  for (auto& [_, builder] : builders_) builder.FinishMemory();
}

// Finds the process for events that the trace assigns to none.
void TraceGather::FindHome() {
  std::map<ProcessId, size_t> spans;
  for (size_t i = 0; i < spans_.size(); ++i) {
    if (!spans_[i].empty()) spans[profile_.threads[i].process] += spans_[i].size();
  }
  spans.erase(ProcessId{});
  host_processes_ = static_cast<int64_t>(spans.size());
  const auto most = std::max_element(
      spans.begin(), spans.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  home_ = most != spans.end()          ? most->first
          : profile_.processes.empty() ? Process(0)
                                       : ProcessId{1};
  for (const auto& [_, thread] : orphans_) profile_.threads[thread.index()].process = home_;
}

GpuTimelineBuilder& TraceGather::Builder(ProcessId process) {
  return builders_.try_emplace(process, timeline_, profile_, process).first->second;
}

void TraceGather::DescribeDevices() {
  std::map<std::pair<uint32_t, ProcessId>, bool> used;  // by number, as the rows
  for (const TraceWork& work : work_) used[{work.device, work.process}] = true;
  std::vector<uint32_t> numbers;  // of the rows, on the machine
  for (const auto& [key, _] : used) {
    const auto& [number, process] = key;
    auto found = devices_.find({process, number});
    if (found == devices_.end()) found = devices_.find({ProcessId{}, number});
    Device device{{}, number};
    if (found != devices_.end()) device = found->second;
    if (device.facts.name.empty()) device.facts.name = "unknown GPU";
    Builder(process).AddDevice(number, device.facts);
    if (profile_.gpu.devices.size() > numbers.size()) numbers.push_back(device.shown);
  }
  std::string text;
  for (const uint32_t number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  std::sort(numbers.begin(), numbers.end());
  const bool are_different = std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end();
  if (are_different && !text.empty()) profile_.meta["gpu_numbers"] = text;
}

// Returns the number of a context. Traces that do not tell contexts have number 0 for all devices,
// but a context belongs to one: others get numbers of their own.
uint32_t TraceGather::ContextOf(const TraceWork& work) {
  constexpr uint32_t kMadeUp = uint32_t{1} << 31;
  auto& numbers = contexts_[{work.process, work.context}];
  const uint32_t other = kMadeUp | work.device << 8 | (work.context & 0xff);
  return numbers.try_emplace(work.device, numbers.empty() ? work.context : other).first->second;
}

// The process of work whose trace does not name it.
void TraceGather::FindOwners() {
  const bool in_turns = turns_ <= 2 * host_processes_;
  WorkOwners owners(calls_, profile_, groups_, in_turns, home_);
  const auto each = [&](const auto& take) {
    for (TraceWork& work : work_) take(work);
    for (TraceSync& sync : syncs_) take(sync);
  };
  const auto origin = [](const auto& work) {
    return WorkOrigin{work.before, work.group, work.device};
  };
  each([&](auto& work) {
    if (host_processes_ <= 1 && !work.process) work.process = home_;
    if (!work.process) owners.Add(origin(work), work.correlation, work.start);
  });
  owners.Finish();
  each([&](auto& work) {
    if (!work.process) work.process = owners.Of(origin(work), work.correlation, work.start);
  });
}

void TraceGather::FeedWork(const TraceWork& work) {
  static const StackOf kNoStack = [](auto&&...) { return NodeId{}; };
  GpuTimelineBuilder& builder = Builder(work.process);
  if (LaunchCall* call = calls_.Find(work.process, work.correlation, work.start)) {
    if (!call->told) {
      launch_calls_.Append(LaunchCallEvent{Moved(call->start), call->duration, call->thread});
    }
    call->told = true;
    builder.AddLaunch({work.correlation, call->thread, call->node, Moved(call->start)});
  }
  GpuWork at;
  at.correlation = work.correlation;
  at.start = Moved(work.start);
  at.end = at.start + work.duration;
  at.device = work.device;
  at.context = ContextOf(work);
  at.stream = work.stream;
  switch (work.kind) {
    case TraceWork::kKernel: {
      const auto& [name, config] = configs_[work.config];
      builder.AddKernel({at, name, config}, kNoStack);
      break;
    }
    case TraceWork::kCopy:
      builder.AddCopy({at, work.bytes, work.copy_kind, work.source, work.target}, kNoStack);
      break;
    case TraceWork::kSet:
      builder.AddSet({at, work.bytes, work.target}, kNoStack);
      break;
  }
}

// Feeds events in order of time, so that the wall-time partition can discard the past.
Status TraceGather::FeedAll(const std::function<Status(const EventTable&)>& sink) {
  Status written = Ok();
  const auto take = [&] {
    timeline_.TakeEvents([&](const EventTable& rows) {
      if (written) written = sink(rows);
    });
    if (written && launch_calls_.rows() > 0) written = sink(launch_calls_);
    launch_calls_.Clear();
  };
  size_t next_wait = 0, fed = 0;
  const auto feed_waits = [&](int64_t until) {
    for (; next_wait < waits_.size() && waits_[next_wait].start <= until; ++next_wait) {
      const Wait& wait = waits_[next_wait];
      GpuCall call;
      call.thread = wait.thread;
      call.node = wait.caller;
      call.name = profile_.Text(wait.name);
      call.begin = Moved(wait.start);
      call.end = Moved(wait.end);
      call.waits = true;
      Builder(profile_.thread(wait.thread).process).AddCall(call);
    }
  };
  for (const TraceWork& work : work_) {
    feed_waits(work.start);
    FeedWork(work);
    if (++fed % kRowsAtOnce != 0) continue;
    timeline_.AdvanceWall(Moved(work.start));
    take();
    if (!written) return written;
  }
  feed_waits(INT64_MAX);
  for (const TraceSync& sync : syncs_) {
    GpuSync row;
    row.correlation = sync.correlation;
    row.start = Moved(sync.start);
    row.end = row.start + sync.duration;
    row.context = sync.context;
    row.type = sync.type;
    Builder(sync.process).AddSync(row);
  }
  take();
  return written;
}

Status TraceGather::GiveMarkers(const std::function<Status(const EventTable&)>& sink) {
  EventTable rows(Stream::kMarkers);
  for (const TraceMarker& marker : markers_) {
    rows.Append(MarkerEvent{Moved(marker.start), marker.duration, marker.thread, marker.name, {}});
    if (rows.rows() < kRowsAtOnce) continue;
    if (Status written = sink(rows); !written) return written;
    rows.Clear();
  }
  return rows.rows() == 0 ? Ok() : sink(rows);
}

void TraceGather::Describe() {
  profile_.meta["duration_ns"] = std::to_string(last_ - first_);
  if (realtime_of_zero_) {
    profile_.meta["start_realtime_ns"] = std::to_string(AddSaturated(*realtime_of_zero_, first_));
  }
  if (!markers_.empty()) {
    profile_.quality["import_markers"] = static_cast<int64_t>(markers_.size());
  }
  if (timeline_.unlaunched() > 0) profile_.quality["import_unlinked"] = timeline_.unlaunched();
}

// Leaves out the few events whose times cannot be right.
Status TraceGather::LeaveOutFarTimes() {
  if (Status found = usual_.Finish(); !found) return found;
  if (!usual_.empty()) {
    first_ = usual_.first();
    last_ = usual_.last();
  }
  int64_t far = 0, unknown = 0;
  const auto is_far = [&](const auto& event) { return !usual_.Holds(event.start); };
  const auto is_unknown = [&](const auto& work) {
    return work.start == 0 &&
           (work.duration == 0 ? first_ > 0 || usual_.empty() : first_ > kMaxFromZero);
  };
  unknown += static_cast<int64_t>(std::erase_if(work_, is_unknown));
  unknown += static_cast<int64_t>(std::erase_if(syncs_, is_unknown));
  if (!usual_.all()) {
    for (auto& spans : spans_) far += static_cast<int64_t>(std::erase_if(spans, is_far));
    const auto is_far_work = [&](const auto& work) { return work.start != 0 && is_far(work); };
    far += static_cast<int64_t>(std::erase_if(work_, is_far_work));
    far += static_cast<int64_t>(std::erase_if(syncs_, is_far_work));
    far += static_cast<int64_t>(std::erase_if(markers_, is_far));
  }
  LeaveOut("events_without_a_time", unknown);
  LeaveOut("events_at_impossible_times", far);
  // Work at time 0 that is left: the trace begins there.
  const auto extend = [&](const auto& work) {
    if (work.start == 0) first_ = 0;
    last_ = std::max(last_, work.start + work.duration);
  };
  std::for_each(work_.begin(), work_.end(), extend);
  std::for_each(syncs_.begin(), syncs_.end(), extend);
  return Ok();
}

bool TraceGather::IsEmpty() const {
  return work_.empty() && syncs_.empty() && markers_.empty() && memory_.empty() &&
         std::all_of(spans_.begin(), spans_.end(), [](const auto& spans) { return spans.empty(); });
}

std::string TraceGather::WhatWasLeftOut() const {
  constexpr std::string_view kLeftOut = "import_left_out_";
  std::string text;
  for (const auto& [name, count] : profile_.quality) {
    if (!name.starts_with(kLeftOut)) continue;
    text +=
        (text.empty() ? ": " : ", ") + std::to_string(count) + " " + name.substr(kLeftOut.size());
  }
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

Status TraceGather::Finish(const std::function<Status(const EventTable&)>& sink) {
  if (Status settled = LeaveOutFarTimes(); !settled) return settled;
  if (IsEmpty()) {
    return Error{"nothing in it can be imported" + WhatWasLeftOut(),
                 "gprof-x-import(1) lists what is read; record GPU work or host calls as well"};
  }
  FindHome();
  PlaceHost();
  calls_.Sort();
  FindOwners();
  const auto earlier = [](const auto& a, const auto& b) { return a.start < b.start; };
  std::sort(waits_.begin(), waits_.end(), earlier);
  if (!std::is_sorted(work_.begin(), work_.end(), earlier)) {
    std::stable_sort(work_.begin(), work_.end(), earlier);
  }
  const bool uses_gpu = !work_.empty() || !syncs_.empty();
  // Without GPU work, a waiting call is only a span.
  if (uses_gpu || !memory_.empty()) {
    DescribeDevices();
    FeedMemory();
    if (!uses_gpu) waits_.clear();
    if (Status fed = FeedAll(sink); !fed) return fed;
    if (uses_gpu) timeline_.FinishWall(last_ - first_);
  }
  Describe();
  return GiveMarkers(sink);
}

}  // namespace gprofx::importers
