#include "formats/importers/trace_gather.h"

#include <algorithm>

#include "core/base/arithmetic.h"
#include "core/events/backward_marker.h"

namespace gprofx::importers {
namespace {

constexpr size_t kRowsAtOnce = size_t{1} << 16;
constexpr int64_t kLastTime = INT64_MAX / 2;
// The maximum that core/wall/wall_partition.h can hold.
constexpr int64_t kLongest = int64_t{70} * 365 * 86'400 * 1'000'000'000;

uint64_t KeyOf(ProcessId process, uint32_t correlation) {
  return uint64_t{process.value} << 32 | correlation;
}

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
  if (start < 0 || duration < 0 || start > kLastTime || duration > kLastTime) {
    LeaveOut("events_without_a_time");
    return false;
  }
  first_ = std::min(first_, start);
  last_ = std::max(last_, start + duration);
  return true;
}

void TraceGather::AddHost(ThreadId thread, const HostSpan& span) {
  if (See(span.start, span.duration)) spans_[thread.index()].push_back(span);
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
  if (See(work.start, work.duration)) work_.push_back(work);
}

void TraceGather::AddSync(const TraceSync& sync) {
  if (See(sync.start, sync.duration)) syncs_.push_back(sync);
}

// Does not extend the time range of the trace, which covers only what ran.
void TraceGather::AddMemory(const TraceMemory& memory) {
  if (memory.time < 0 || memory.time > kLastTime) return LeaveOut("events_without_a_time");
  memory_[memory.thread].push_back(memory);
}

void TraceGather::AddMarker(const TraceMarker& marker) {
  if (See(marker.start, marker.duration)) markers_.push_back(marker);
}

void TraceGather::AddDevice(ProcessId process, uint32_t number, const GpuDeviceFacts& facts) {
  if (devices_.size() < GpuPlaces::kMaxDevices) devices_[{process, number}] = facts;
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
    int64_t last = 0;
    const auto placed = [&](const HostSpan& span, NodeId caller, NodeId own, int64_t end) {
      last = std::max(last, end);
      if (memory != memory_.end()) here_.push_back({span.start, end, own});
      if (span.correlation != 0) {
        calls_.push_back(
            {KeyOf(process, span.correlation), thread, own, span.start, span.duration});
      }
      if (span.work != 0) {
        profile_.AddSelf(own, thread, flop, operator_work_[span.work - 1].flop);
        profile_.AddSelf(own, thread, bytes, operator_work_[span.work - 1].bytes);
      }
      if (forward_ && span.sequence >= 0 && !span.is_backward) {
        forward_nodes_[{thread, span.start, span.duration}] = own;
      }
      const gprofx::Frame& frame = profile_.frame(span.frame);
      if (frame.kind == FrameKind::kCudaApi) {
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
  for (size_t i = 0; i < spans_.size(); ++i) spans[profile_.threads[i].process] += spans_[i].size();
  spans.erase(ProcessId{});
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
  for (const TraceWork& work : work_) used[{work.device, HomeOf(work.process)}] = true;
  for (const auto& [key, _] : used) {
    const auto& [number, process] = key;
    auto found = devices_.find({process, number});
    if (found == devices_.end()) found = devices_.find({ProcessId{}, number});
    GpuDeviceFacts facts;
    if (found != devices_.end()) facts = found->second;
    if (facts.name.empty()) facts.name = "unknown GPU";
    Builder(process).AddDevice(number, facts);
  }
}

TraceGather::Call* TraceGather::FindCall(ProcessId process, uint32_t correlation) {
  if (correlation == 0) return nullptr;
  const uint64_t key = KeyOf(process, correlation);
  const auto found =
      std::lower_bound(calls_.begin(), calls_.end(), key,
                       [](const Call& call, uint64_t wanted) { return call.key < wanted; });
  return found != calls_.end() && found->key == key ? &*found : nullptr;
}

void TraceGather::FeedWork(const TraceWork& work) {
  static const StackOf kNoStack = [](auto&&...) { return NodeId{}; };
  const ProcessId process = HomeOf(work.process);
  GpuTimelineBuilder& builder = Builder(process);
  if (Call* call = FindCall(process, work.correlation)) {
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
  at.context = work.context;
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
    Builder(HomeOf(sync.process)).AddSync(row);
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

Status TraceGather::Finish(const std::function<Status(const EventTable&)>& sink) {
  if (first_ > last_) first_ = last_ = 0;
  if (last_ - first_ > kLongest) {
    return Error{"the times of its events lie more than 70 years apart",
                 "do not trust this file, or export it again"};
  }
  FindHome();
  PlaceHost();
  std::stable_sort(calls_.begin(), calls_.end(),
                   [](const Call& a, const Call& b) { return a.key < b.key; });
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
