#include "core/gpu/gpu_timeline_builder.h"

#include <algorithm>
#include <limits>

#include "core/base/held_bytes.h"
#include "core/kernels/work_names.h"

namespace gprofx {
namespace {

int64_t DurationOf(HostNs start, HostNs end) { return std::max(end, start) - start; }

uint64_t Product(const uint32_t (&size)[3]) {
  uint64_t product = 1;
  for (const uint32_t n : size) {
    if (__builtin_mul_overflow(product, std::max<uint32_t>(n, 1), &product)) return UINT64_MAX;
  }
  return product;
}

// Delay until a tail (core/gpu/untraced_tails.h) is complete: the records of its kernels have then
// arrived. The delay is shorter than that of the wall partition, so the partition gets each tail in
// time.
constexpr HostNs kTailKnown = 20'000'000'000;
// This long after a launch, it is known whether the launch belongs to the first gap.
constexpr HostNs kLevelKnown = 2'000'000'000;
constexpr size_t kMaxGraphNodes = 1'000'000;
// Work of a graph node may take up to this multiple of its longest known duration; otherwise its
// end is wrong.
constexpr int64_t kLonger = 2;

}  // namespace

GpuTimelineBuilder::GpuTimelineBuilder(GpuTimeline& timeline, Profile& profile, ProcessId process)
    : timeline_(timeline),
      profile_(profile),
      process_(process),
      places_(timeline.places_, process),
      captures_(profile) {}

void GpuTimelineBuilder::AddLaunch(const GpuLaunch& launch) {
  timeline_.MarkThread(launch.thread);
  if (timeline_.estimating_) {
    undecided_.push_back({launch.time, launch.node});
    CountLaunches(levels_.gaps().empty() ? launch.time - kLevelKnown : kLatest);
    timeline_.events_.launches.Append(
        LaunchEvent{launch.time - launch.time % 1000, launch.thread, launch.node});
  }
  launches_.Add(launch);
}

// Counts the launches before `before` in the estimates. Later launches stay in undecided_: the end
// of recording is reported later than launches, so they may already belong to the gap that follows.
void GpuTimelineBuilder::CountLaunches(HostNs before) {
  for (; !undecided_.empty() && undecided_.front().first < before; undecided_.pop_front()) {
    const auto& [time, node] = undecided_.front();
    timeline_.estimates_.AddLaunch(node, process_, levels_.gaps().Before(time));
  }
}

// False if the end of the record cannot be correct. A CUDA graph continues to write its times while
// recording is off. The times of the last replay with records may be read after later replays have
// run. The end is then that of a replay without records, 20 to 200 ms later (CUPTI 13.0). A record
// that reaches into a window without records is therefore compared with the longest duration of the
// same graph node in times with records.
bool GpuTimelineBuilder::HasTrueEnd(const GpuWork& work) {
  if (work.graph_node == 0) return true;
  const int64_t ns = DurationOf(work.start, work.end);
  const auto longest = longest_of_node_.find(work.graph_node);
  if (!levels_.AnyUntraced(work.start, work.end)) {
    if (longest != longest_of_node_.end()) {
      longest->second = std::max(longest->second, ns);
    } else if (longest_of_node_.size() < kMaxGraphNodes) {
      longest_of_node_.emplace(work.graph_node, ns);
    }
    return true;
  }
  if (longest != longest_of_node_.end() && ns / kLonger <= longest->second) return true;
  ++profile_.quality["gpu_records_no_end"];
  return false;
}

GpuPlace GpuTimelineBuilder::Account(const GpuWork& work, FrameId frame, BusyClass what,
                                     const StackOf& stack_of) {
  GpuPlace place;
  NodeId base, path;
  bool first = false;
  uint32_t window = 0;
  if (const GpuLaunch* launch = launches_.Find(work.correlation, &first)) {
    base = path = launch->node;
    window = levels_.gaps().Before(launch->time);
    if (first && timeline_.estimating_) {
      timeline_.estimates_.AddTraced(path, process_, window);
    }
    place.thread = launch->thread;
    place.launch = std::max<HostNs>(launch->time, 1);
  } else {
    base = timeline_.Child(profile_.root(), timeline_.Marker(kLaunchedBefore));
    place.thread = timeline_.UnknownThread(process_);
    ++timeline_.unlaunched_;
  }
  place.node = timeline_.Child(captures_.PathOf(base, work.graph_node, stack_of), frame);
  const GpuMetrics& metrics = timeline_.metrics();
  profile_.AddSelf(place.node, place.thread, metrics.time, DurationOf(work.start, work.end));
  profile_.AddSelf(place.node, place.thread, metrics.operations, 1);
  if (timeline_.estimating_) {
    const GpuEstimates::Place at = {place.node, path, frame, place.thread, process_};
    const int64_t ns = DurationOf(work.start, work.end);
    timeline_.estimates_.AddSeen(at, ns, 1);
    timeline_.estimates_.AddSample(at, window, ns);
  }
  const GpuDeviceId device = places_.Device(work.device);
  if (what != BusyClass::kCopy) tails_.AddKernel(place.launch, work.start);
  AddTails(work.start - kTailKnown);
  timeline_.wall_.AddBusy(what, work.start, work.end);
  timeline_.lanes_.AddBusy(process_, device, what, work.start, work.end);
  timeline_.overlap_.Add(process_, device, work.start, work.end, place.node, place.thread);
  return place;
}

void GpuTimelineBuilder::CountBytes(const GpuPlace& place, int64_t bytes) {
  if (bytes <= 0) return;
  profile_.AddSelf(place.node, place.thread, timeline_.metrics().bytes, bytes);
}

template <class Event>
Event GpuTimelineBuilder::RowOf(const GpuWork& work, const GpuPlace& place) {
  Event row;
  row.start = work.start;
  row.duration = DurationOf(work.start, work.end);
  row.launch = place.launch;
  row.thread = place.thread;
  row.node = place.node;
  row.stream = places_.Stream(work.context, work.device, work.stream);
  row.correlation = work.correlation;
  row.graph_node = work.graph_node;
  return row;
}

std::optional<GpuPlace> GpuTimelineBuilder::AddKernel(const GpuKernel& kernel,
                                                      const StackOf& stack_of) {
  if (!HasTrueEnd(kernel.work)) return std::nullopt;
  const BusyClass what =
      kernel.name.communication ? BusyClass::kCommunication : BusyClass::kCompute;
  const GpuPlace place = Account(kernel.work, kernel.name.frame, what, stack_of);
  auto row = RowOf<KernelEvent>(kernel.work, place);
  row.config = timeline_.places_.Config(kernel.config);
  timeline_.events_.kernels.Append(row);
  return place;
}

std::optional<GpuPlace> GpuTimelineBuilder::AddCopy(const GpuCopy& copy, const StackOf& stack_of) {
  if (!HasTrueEnd(copy.work)) return std::nullopt;
  const FrameId frame =
      timeline_.Marker(CopyName(copy.kind, copy.source, copy.target), FrameKind::kGpuCopy);
  const GpuPlace place = Account(copy.work, frame, BusyClass::kCopy, stack_of);
  CountBytes(place, copy.bytes);
  auto row = RowOf<CopyEvent>(copy.work, place);
  row.bytes = copy.bytes;
  row.kind = copy.kind;
  row.source = copy.source;
  row.target = copy.target;
  timeline_.events_.copies.Append(row);
  return place;
}

std::optional<GpuPlace> GpuTimelineBuilder::AddSet(const GpuSet& set, const StackOf& stack_of) {
  if (!HasTrueEnd(set.work)) return std::nullopt;
  const FrameId frame = timeline_.Marker(SetName(set.memory), FrameKind::kGpuCopy);
  const GpuPlace place = Account(set.work, frame, BusyClass::kCopy, stack_of);
  CountBytes(place, set.bytes);
  auto row = RowOf<SetEvent>(set.work, place);
  row.bytes = set.bytes;
  row.memory = set.memory;
  timeline_.events_.sets.Append(row);
  return place;
}

void GpuTimelineBuilder::AddSync(const GpuSync& sync) {
  timeline_.metrics();
  SyncEvent row;
  row.start = sync.start;
  row.duration = DurationOf(sync.start, sync.end);
  if (const GpuLaunch* launch = launches_.Find(sync.correlation)) {
    row.thread = launch->thread;
    row.node = launch->node;
  }
  row.context = places_.Context(sync.context);
  row.type = sync.type;
  row.correlation = sync.correlation;
  timeline_.events_.syncs.Append(row);
}

void GpuTimelineBuilder::AddCall(const GpuCall& call) {
  const GpuMetrics& metrics = timeline_.metrics();
  CallEvent row;
  row.start = call.begin;
  row.duration = DurationOf(call.begin, call.end);
  row.thread = call.thread;
  row.node = call.node;
  if (call.waits) {
    row.node = timeline_.Child(call.node, timeline_.Marker(call.name, FrameKind::kCudaApi));
    profile_.AddSelf(row.node, call.thread, metrics.wait, row.duration);
    tails_.AddWait(call.name, call.end);
    timeline_.wall_.AddWait(call.name, call.begin, call.end);
    timeline_.lanes_.AddWait(process_, call.name, call.begin, call.end);
  }
  row.name = profile_.Intern(call.name);
  timeline_.events_.calls.Append(row);
}

void GpuTimelineBuilder::AddOverhead(const GpuOverhead& overhead) {
  timeline_.metrics();
  OverheadEvent row;
  row.start = overhead.start;
  row.duration = DurationOf(overhead.start, overhead.end);
  row.process = process_;
  row.kind = overhead.kind;
  row.tid = overhead.tid;
  timeline_.events_.overheads.Append(row);
  if (!overhead.queue_full) return;
  timeline_.wall_.AddQueueFull(overhead.start, overhead.end);
  timeline_.lanes_.AddQueueFull(process_, overhead.start, overhead.end);
}

void GpuTimelineBuilder::AddEnvironment(EnvironmentEvent event, uint32_t device) {
  if (!places_.Device(device)) return;
  event.process = process_;
  event.device = places_.Device(device);
  timeline_.events_.environment.Append(event);
}

// Adds a memory event. Also adds a row for the device if nothing has described it yet, which
// happens if the program runs without the profiler's GPU library.
void GpuTimelineBuilder::AddMemory(MemoryEvent event, uint32_t device) {
  if (!places_.Device(device)) {
    GpuDeviceFacts facts;
    facts.name = "GPU " + std::to_string(device);
    places_.AddDevice(device, facts);
  }
  // The times define the order of the events and must strictly increase, but the clock may stand
  // still between two events.
  event.time = memory_time_ = std::max(event.time, memory_time_ + 1);
  event.process = process_;
  event.device = places_.Device(device);
  timeline_.memory_.Add(event);
  timeline_.events_.memory.Append(event);
}

// Ends the level. A time without records is reported to the wall partition at once, because the
// partition would soon have processed that time.
void GpuTimelineBuilder::EndLevel(HostNs end, int64_t launches) {
  const LevelWindow* window = levels_.End(end, launches);
  launches_.EndUntraced(end);
  if (window == nullptr || !window->recording) return;
  if (timeline_.estimating_) {
    timeline_.events_.levels.Append(LevelEvent{window->begin,
                                               DurationOf(window->begin, window->end), process_,
                                               window->traced, window->launches});
  }
  if (window->traced) return;
  AddUnseen(window->begin, window->end);
  untraced_until_ = window->end;
}

void GpuTimelineBuilder::AddUnseen(HostNs begin, HostNs end) {
  timeline_.wall_.AddWait(kNoRecords, begin, end);
  timeline_.lanes_.AddWait(process_, kNoRecords, begin, end);
}

void GpuTimelineBuilder::AddTails(HostNs before) {
  if (!tails_.Has(before)) return;
  for (const TimeRange& tail : tails_.Take(before)) AddUnseen(tail.begin, tail.end);
}

void GpuTimelineBuilder::BeginLevel(HostNs begin, bool recording, bool traced, int64_t launches) {
  levels_.Begin(begin, recording, traced, launches);
  if (!traced) launches_.BeginUntraced(begin);
  if (traced && untraced_until_ != 0) tails_.Begin(untraced_until_);
  untraced_until_ = 0;
}

void GpuTimelineBuilder::Finish(HostNs end, int64_t launches) {
  CountLaunches(kLatest);
  EndLevel(end, launches);
  AddTails(std::numeric_limits<HostNs>::max());
  timeline_.AddWindows(process_, levels_.windows());
  timeline_.FinishMemory(process_);
  timeline_.lanes_.End(process_);
}

size_t GpuTimelineBuilder::bytes() const {
  return launches_.bytes() + captures_.bytes() + HeldBytes(undecided_) +
         HeldBytes(longest_of_node_);
}

uint64_t GpuTimelineBuilder::ResidentWarps(const GpuKernel& kernel) const {
  const uint64_t per_warp = places_.WarpThreads(kernel.work.device);
  const uint64_t threads = Product(kernel.config.block);
  const uint64_t block_warps = threads / per_warp + (threads % per_warp != 0 ? 1 : 0);
  const uint64_t resident = places_.ResidentWarps(kernel.work.device);
  uint64_t warps = 0;
  if (__builtin_mul_overflow(Product(kernel.config.grid), block_warps, &warps)) return resident;
  return std::min(warps, resident);
}

}  // namespace gprofx
