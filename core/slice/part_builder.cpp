#include "core/slice/part_builder.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/base/arithmetic.h"
#include "core/base/hash.h"
#include "core/cost/profiling_time.h"
#include "core/gpu/gpu_memory.h"
#include "core/model/inherit.h"
#include "core/model/kept_quality.h"
#include "core/slice/choose_part.h"

namespace gprofx {
namespace {

// Maximum amount of GPU work that waits in the overlap sweep. Each advance of the sweep visits all
// of it.
constexpr size_t kMaxOverlapping = 1'000'000;

int64_t Within(TimeRange range, HostNs begin, HostNs end) {
  return std::max<int64_t>(std::min(end, range.end) - std::max(begin, range.begin), 0);
}

// Returns, for each node, the nearest kernel or copy on its path, which may be the node itself; 0 =
// none.
std::vector<NodeId> OperationOf(const Profile& profile) {
  uint32_t node = 0;
  return InheritDown<NodeId>(profile.nodes, [&](NodeId above, FrameId frame) {
    ++node;
    const FrameKind kind = frame ? profile.frame(frame).kind : FrameKind::kRoot;
    const bool is_operation = kind == FrameKind::kGpuKernel || kind == FrameKind::kGpuCopy;
    return is_operation ? NodeId{node} : above;
  });
}

GpuDeviceId DeviceOf(const Profile& profile, GpuStreamId stream) {
  if (!stream) return {};
  const GpuContextId context = profile.gpu.streams[stream.index()].context;
  return context ? profile.gpu.contexts[context.index()].device : GpuDeviceId{};
}

bool IsInstructionMetric(std::string_view name) {
  return name == kMetricPcSamples || name == kMetricPcLatency ||
         name.starts_with(kMetricStallPrefix);
}

}  // namespace

struct PartBuilder::Cell {
  NodeId node;
  ThreadId thread;
  int64_t time = 0, samples = 0, idle = 0, gpu = 0, operations = 0, wait = 0, bytes = 0;
  int64_t overlapped = 0;
  // Times of gprof-x and CUPTI with and without the GIL; times of other code are in lock_.
  int64_t held = 0, released = 0;
};

struct PartBuilder::Lane {
  WallLane row;  // begin and end are those of the slice
  WallPartition wall;
};

PartBuilder::PartBuilder(const Profile& profile, const PartEvents& events, TimeRange range)
    : profile_(profile),
      events_(events),
      range_(range),
      counted_(CountedRange(profile, range)),
      has_walls_(!profile.gpu.wall.empty() || !profile.gpu.lanes.empty()),
      classes_(profile),
      lock_(profile.threads.size()),
      first_launch_(profile.threads.size(), kLatest),
      first_of_all_(kLatest),
      has_estimates_(profile.FindMetric(kMetricGpuEstimated) &&
                     profile.FindMetric(kMetricGpuOpsEstimated) &&
                     profile.FindMetric(kMetricGpuError)),
      estimates_(profile, counted_, events.windows),
      busy_(profile) {
  // Find the main thread of the first process: before the first launch, it imports modules and
  // prepares.
  for (uint32_t i = 0; i < profile.threads.size() && !main_; ++i) {
    const Thread& thread = profile.threads[i];
    if (thread.process == ProcessId{1} && thread.tid == profile.processes[0].pid) {
      main_ = ThreadId{i + 1};
    }
  }
  for (const WallLane& lane : profile.gpu.lanes) {
    const HostNs begin = std::max(lane.begin, range.begin), end = std::min(lane.end, range.end);
    if (begin >= end) continue;
    lanes_.push_back(std::make_unique<Lane>());
    lanes_.back()->row = {lane.process, lane.device, begin, end, 0, {}};
  }
  AddWaits();
  AddQueueFull();
  AddWindows();
  BeginTails();
}

PartBuilder::~PartBuilder() = default;

TimeRange CountedRange(const Profile& profile, TimeRange range) {
  return {range.begin <= 0 ? -kMaxMagnitude : range.begin,
          range.end >= EndOfRecording(profile) ? kMaxMagnitude : range.end};
}

PartBuilder::Cell& PartBuilder::At(NodeId node, ThreadId thread) {
  if (cells_.size() * 2 >= index_.size()) Grow();
  uint32_t& slot = index_[SlotOf(node, thread)];
  if (slot == 0) {
    Cell& cell = cells_.emplace_back();
    cell.node = node;
    cell.thread = thread;
    slot = static_cast<uint32_t>(cells_.size());
  }
  return cells_[slot - 1];
}

// Returns the slot of the cell or, if there is none, the free slot for it.
size_t PartBuilder::SlotOf(NodeId node, ThreadId thread) const {
  const uint64_t key = uint64_t{node.value} << 32 | thread.value;
  const size_t mask = index_.size() - 1;
  for (size_t slot = HashOfNumbers(key) & mask;; slot = (slot + 1) & mask) {
    if (index_[slot] == 0) return slot;
    const Cell& cell = cells_[index_[slot] - 1];
    if (cell.node == node && cell.thread == thread) return slot;
  }
}

void PartBuilder::Grow() {
  index_.assign(std::max<size_t>(index_.size() * 2, 1024), 0);
  for (size_t i = 0; i < cells_.size(); ++i) {
    index_[SlotOf(cells_[i].node, cells_[i].thread)] = static_cast<uint32_t>(i + 1);
  }
}

// Calls use(wall, from, to) for the wall partition of the run and for the process's lanes; if
// `device` is known, only for the lane of that device. `from` and `to` are [begin, end) cut to that
// partition.
template <class Use>
void PartBuilder::ForWalls(ProcessId process, GpuDeviceId device, HostNs begin, HostNs end,
                           const Use& use) {
  use(wall_, std::max(begin, range_.begin), std::min(end, range_.end));
  for (const std::unique_ptr<Lane>& lane : lanes_) {
    const WallLane& row = lane->row;
    if (row.process != process || (device && row.device != device)) continue;
    use(lane->wall, std::max(begin, row.begin), std::min(end, row.end));
  }
}

void PartBuilder::LookAt(std::span<const PhaseOperation> operations) {
  for (const PhaseOperation& operation : operations) {
    if (!operation.thread) continue;
    HostNs& first = first_launch_[operation.thread.index()];
    const HostNs when = operation.launch > 0 ? operation.launch : operation.start;
    first = std::min(first, when);
    first_of_all_ = std::min(first_of_all_, when);
    if (!tails_.empty() && busy_.Of(operation.node) != BusyClass::kCopy)
      tails_[profile_.thread(operation.thread).process.value].AddKernel(operation.launch,
                                                                        operation.start);
  }
  if (has_estimates_) estimates_.AddTraced(operations);
}

void PartBuilder::LookedAtAll() {
  if (std::exchange(looked_at_all_, true)) return;
  AddLooks();
  AddTails();
}

void PartBuilder::AddOperations(std::span<const PhaseOperation> operations) {
  LookedAtAll();
  for (const PhaseOperation& operation : operations) {
    const bool begins = operation.start >= counted_.begin && operation.start < counted_.end;
    const int64_t ns = Within(counted_, operation.start, operation.end);
    if (!begins && ns == 0) continue;
    const ProcessId process =
        operation.thread ? profile_.thread(operation.thread).process : ProcessId{};
    const GpuDeviceId device = DeviceOf(profile_, operation.stream);
    if (operation.node && operation.thread) {
      Cell& cell = At(operation.node, operation.thread);
      cell.gpu = AddSaturated(cell.gpu, ns);
      cell.operations += begins ? 1 : 0;
      if (begins) cell.bytes = AddSaturated(cell.bytes, std::max<int64_t>(operation.bytes, 0));
    }
    overlap_.Add(process, device, std::max(operation.start, counted_.begin),
                 std::min(operation.end, counted_.end), operation.node, operation.thread);
    work_.push_back({operation.start, operation.end, process, device, busy_.Of(operation.node)});
  }
  is_sorted_ = false;
  if (has_estimates_) estimates_.AddWork(operations);
}

void PartBuilder::AddOverlap(NodeId node, ThreadId thread, int64_t ns) {
  if (!node || !thread) return;
  Cell& cell = At(node, thread);
  cell.overlapped = AddSaturated(cell.overlapped, ns);
}

// Adds the work that begins before `end` to the partitions, in order of begin. This is done as late
// as possible, because partitions visit all their pending work each time they advance.
void PartBuilder::FeedWork(HostNs end) {
  const auto later = [](const Work& a, const Work& b) { return a.begin > b.begin; };
  if (!std::exchange(is_sorted_, true)) std::sort(work_.begin(), work_.end(), later);
  for (; !work_.empty() && work_.back().begin < end; work_.pop_back()) {
    const Work& work = work_.back();
    ForWalls(work.process, work.device, work.begin, work.end,
             [&](WallPartition& wall, HostNs from, HostNs to) {
               if (from < to) wall.AddBusy(work.what, from, to);
             });
  }
}

void PartBuilder::AddWaits() {
  for (const PhaseWait& wait : events_.events.waits) {
    const int64_t ns = Within(counted_, wait.begin, wait.end);
    if (ns == 0) continue;
    if (!wait.node || !wait.thread) continue;
    Cell& cell = At(wait.node, wait.thread);
    cell.wait = AddSaturated(cell.wait, ns);
    const std::string name = WaitingCall(profile_, wait.node);
    ForWalls(profile_.thread(wait.thread).process, {}, wait.begin, wait.end,
             [&](WallPartition& wall, HostNs begin, HostNs end) {
               if (begin < end) wall.AddWait(name, begin, end);
             });
  }
}

void PartBuilder::AddQueueFull() {
  for (const PartEvents::Full& full : events_.queue_full) {
    ForWalls(full.process, {}, full.begin, full.end,
             [](WallPartition& wall, HostNs begin, HostNs end) {
               if (begin < end) wall.AddQueueFull(begin, end);
             });
  }
}

void PartBuilder::AddLooks() {
  for (const WaitPlaceEvent& look : events_.looks) {
    if (!has_walls_ || !look.thread || !ExplainsIdle(look.thread, look.time)) continue;
    const HostClass what = classes_.OfBlocked(look.node);
    ForWalls(profile_.thread(look.thread).process, {}, look.time, look.time + 1,
             [&](WallPartition& wall, HostNs begin, HostNs end) {
               if (begin < end) wall.AddLook(what, look.time);
             });
  }
}

void PartBuilder::AddWindows() {
  for (const LevelWindow& window : events_.windows) {
    if (!window.traced && window.recording) AddUnseen(window.process, window.begin, window.end);
  }
}

void PartBuilder::AddUnseen(ProcessId process, HostNs begin, HostNs end) {
  ForWalls(process, {}, begin, end, [](WallPartition& wall, HostNs from, HostNs to) {
    if (from < to) wall.AddWait(kNoRecords, from, to);
  });
}

// Begins a tail (core/gpu/untraced_tails.h) wherever records of GPU work resume.
// core/gpu/gpu_timeline_builder.cpp does the same while recording.
void PartBuilder::BeginTails() {
  if (events_.windows.empty()) return;
  tails_.resize(profile_.processes.size() + 1);
  std::vector<const LevelWindow*> before(tails_.size());
  for (const LevelWindow& window : events_.windows) {
    const LevelWindow* last = std::exchange(before[window.process.value], &window);
    if (last != nullptr && last->recording && !last->traced && window.traced)
      tails_[window.process.value].Begin(last->end);
  }
  for (const PhaseWait& wait : events_.events.waits) {
    if (wait.node && wait.thread)
      tails_[profile_.thread(wait.thread).process.value].AddWait(WaitingCall(profile_, wait.node),
                                                                 wait.end);
  }
}

void PartBuilder::AddTails() {
  for (uint32_t i = 0; i < tails_.size(); ++i) {
    for (const TimeRange& tail : tails_[i].Take(kLatest))
      AddUnseen(ProcessId{i}, tail.begin, tail.end);
  }
}

void PartBuilder::AddEstimates(std::vector<Value>& out) const {
  if (!has_estimates_) return;
  const MetricId time = profile_.FindMetric(kMetricGpuEstimated),
                 runs = profile_.FindMetric(kMetricGpuOpsEstimated),
                 error = profile_.FindMetric(kMetricGpuError);
  const auto add = [&](const GpuEstimates::Row& row, MetricId metric, double value) {
    const auto rounded = static_cast<int64_t>(std::llround(std::min(value, 9e18)));
    if (rounded != 0) out.push_back({row.node, row.thread, metric, rounded});
  };
  for (const GpuEstimates::Row& row : estimates_.Rows()) {
    add(row, time, row.ns);
    add(row, runs, row.runs);
    add(row, error, row.error);
  }
}

bool PartBuilder::ExplainsIdle(ThreadId thread, HostNs time) const {
  return time < first_of_all_ ? thread == main_ : first_launch_[thread.index()] <= time;
}

void PartBuilder::AddSample(const SampleRow& row) {
  Cell& cell = At(row.node, row.thread);
  cell.time = AddSaturated(cell.time, row.weight);
  cell.samples += (row.state & kStateRest) == 0 ? 1 : 0;
  if ((row.state & kStateIdle) != 0) cell.idle = AddSaturated(cell.idle, row.weight);
  const int lock = row.state & kStateMask;
  if (lock != kStateGilHeld && lock != kStateGilReleased) return;
  const bool is_profiling = classes_.IsProfiling(row.node), is_held = lock == kStateGilHeld;
  auto& [held, released] = lock_[row.thread.index()];
  int64_t& sum = is_profiling ? (is_held ? cell.held : cell.released) : (is_held ? held : released);
  sum = AddSaturated(sum, row.weight);
}

void PartBuilder::AddSamples(std::span<const SampleRow> samples) {
  LookedAtAll();
  for (const SampleRow& row : samples) {
    if (row.time < counted_.begin || row.time >= counted_.end || !row.thread || !row.node) continue;
    if (!IsLeftOut(profile_, row.node, row.thread)) AddSample(row);
    if (!has_walls_ || !ExplainsIdle(row.thread, row.time)) continue;
    const HostClass what = classes_.Of(row.node, row.state);
    ForWalls(profile_.thread(row.thread).process, {}, row.time, row.time + 1,
             [&](WallPartition& wall, HostNs begin, HostNs end) {
               if (begin < end) wall.AddSample(what, row.time, row.weight);
             });
  }
}

void PartBuilder::Advance(HostNs time) {
  LookedAtAll();
  FeedWork(time);
  if (overlap_.pending() > kMaxOverlapping) {
    overlap_.Advance(
        time, [this](NodeId node, ThreadId thread, int64_t ns) { AddOverlap(node, thread, ns); });
  }
  wall_.Advance(time);
  for (const auto& lane : lanes_) lane->wall.Advance(time);
}

// Adds the instruction samples of all kernels that ran in the range. These samples have no time, so
// each such kernel gets those of the whole recording.
void PartBuilder::AddPcSamples(std::vector<Value>& out) const {
  std::vector<bool> wanted(profile_.metrics.size() + 1);
  bool any = false;
  for (size_t i = 0; i < profile_.metrics.size(); ++i) {
    wanted[i + 1] = IsInstructionMetric(profile_.metrics[i].name);
    any = any || wanted[i + 1];
  }
  if (!any) return;
  const std::vector<NodeId> operation_of = OperationOf(profile_);
  std::vector<bool> ran(profile_.nodes.size() + 1);
  for (const Cell& cell : cells_) ran[cell.node.value] = ran[cell.node.value] || cell.gpu > 0;
  for (const Value& value : profile_.values) {
    if (!wanted[value.metric.value] || !value.node) continue;
    if (ran[operation_of[value.node.index()].value]) out.push_back(value);
  }
}

PartValues PartBuilder::Finish() && {
  LookedAtAll();
  FeedWork(kLatest);
  overlap_.Finish(
      [this](NodeId node, ThreadId thread, int64_t ns) { AddOverlap(node, thread, ns); });
  PartValues out;
  const bool by_wall = static_cast<bool>(profile_.FindMetric("wall"));
  const std::pair<const char*, int64_t Cell::*> metrics[] = {
      {by_wall ? "wall" : "cpu", &Cell::time},
      {"samples", &Cell::samples},
      {"idle", &Cell::idle},
      {kMetricGpu, &Cell::gpu},
      {kMetricGpuOps, &Cell::operations},
      {kMetricGpuWait, &Cell::wait},
      {kMetricGpuBytes, &Cell::bytes},
      {kMetricGpuOverlapped, &Cell::overlapped},
      {"cpu_gil", &Cell::held},
      {"cpu_nogil", &Cell::released}};
  std::sort(cells_.begin(), cells_.end(), [](const Cell& a, const Cell& b) {
    return std::pair(a.node, a.thread) < std::pair(b.node, b.thread);
  });
  for (const auto& [name, field] : metrics) {
    const MetricId metric = profile_.FindMetric(name);
    if (!metric) continue;
    for (const Cell& cell : cells_) {
      if (cell.*field != 0) out.values.push_back({cell.node, cell.thread, metric, cell.*field});
    }
  }
  const MetricId held = profile_.FindMetric("cpu_gil"), released = profile_.FindMetric("cpu_nogil");
  for (uint32_t i = 0; i < lock_.size() && held && released; ++i) {
    const ThreadId thread{i + 1};
    if (lock_[i].first != 0) out.values.push_back({profile_.root(), thread, held, lock_[i].first});
    if (lock_[i].second != 0) {
      out.values.push_back({profile_.root(), thread, released, lock_[i].second});
    }
  }
  AddPcSamples(out.values);
  AddEstimates(out.values);
  if (!events_.memory.empty()) {
    for (const Value& value : MemoryValuesIn(events_.memory, counted_, profile_)) {
      out.values.push_back(value);
    }
  }
  out.records = RecordsIn(events_.windows, range_);
  if (!profile_.gpu.wall.empty()) out.wall = wall_.Finish(range_.begin, range_.end);
  for (const auto& lane : lanes_) {
    WallLane& row = out.lanes.emplace_back(std::move(lane->row));
    row.parts = lane->wall.Finish(row.begin, row.end);
    row.hidden_communication_ns =
        std::clamp<int64_t>(lane->wall.hidden_communication_ns(), 0, row.end - row.begin);
  }
  return out;
}

std::optional<RecordsMade> RecordsIn(std::span<const LevelWindow> windows, TimeRange range) {
  if (windows.empty()) return std::nullopt;
  RecordsMade made;
  for (const LevelWindow& window : OfLaunching(windows)) {
    AddWindow(window, range.begin, range.end, made);
  }
  return made;
}

void ShowPart(PartValues values, ShownPart part, Profile& profile) {
  if (HasGaps(profile)) part.records = values.records;
  part.whole.assign(profile.metrics.size(), 0);
  for (const Value& value : profile.values) {
    if (!value.metric) continue;
    int64_t& sum = part.whole[value.metric.index()];
    sum = AddSaturated(sum, value.self);
  }
  KeepQuality(profile);
  CorrectPart(profile, values.values, values.wall, values.lanes);
  profile.values = std::move(values.values);
  profile.gpu.wall = std::move(values.wall);
  profile.gpu.lanes = std::move(values.lanes);
  profile.part = std::move(part);
}

}  // namespace gprofx
