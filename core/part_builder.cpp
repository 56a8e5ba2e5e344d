#include "core/part_builder.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "core/arithmetic.h"

namespace gprofx {
namespace {

constexpr HostNs kNever = std::numeric_limits<HostNs>::max();

int64_t Within(TimeRange range, HostNs begin, HostNs end) {
  return std::max<int64_t>(std::min(end, range.end) - std::max(begin, range.begin), 0);
}

// The nearest kernel or copy at or above each node; 0 = none.
std::vector<NodeId> OperationOf(const Profile& profile) {
  std::vector<NodeId> of(profile.nodes.size());
  for (size_t i = 0; i < of.size(); ++i) {
    const Node& node = profile.nodes[i];
    const FrameKind kind = node.frame ? profile.frame(node.frame).kind : FrameKind::kRoot;
    const bool is_operation = kind == FrameKind::kGpuKernel || kind == FrameKind::kGpuCopy;
    if (is_operation) {
      of[i] = NodeId{static_cast<uint32_t>(i + 1)};
    } else if (node.parent) {
      of[i] = of[node.parent.index()];
    }
  }
  return of;
}

// Kernels of communication libraries are asked for by name once for each frame.
class BusyClasses {
 public:
  explicit BusyClasses(const Profile& profile) : profile_(profile), of_(profile.frames.size()) {}
  BusyClass Of(NodeId node) {
    if (!node || !profile_.node(node).frame) return BusyClass::kCompute;
    const FrameId id = profile_.node(node).frame;
    uint8_t& known = of_[id.index()];
    if (known == 0) known = static_cast<uint8_t>(1 + static_cast<int>(Look(profile_.frame(id))));
    return static_cast<BusyClass>(known - 1);
  }

 private:
  BusyClass Look(const Frame& frame) const {
    if (frame.kind == FrameKind::kGpuCopy) return BusyClass::kCopy;
    if (!frame.function) return BusyClass::kCompute;
    const std::string name(profile_.Text(profile_.function(frame.function).name));
    return IsCommunicationKernel(name) ? BusyClass::kCommunication : BusyClass::kCompute;
  }
  const Profile& profile_;
  std::vector<uint8_t> of_;  // 1 + class, 0 = not looked at
};

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
  int64_t time = 0, samples = 0, idle = 0, gpu = 0, operations = 0, wait = 0;
};

struct PartBuilder::Lane {
  WallLane row;  // begin and end are those of the part
  WallPartition wall;
};

PartBuilder::PartBuilder(const Profile& profile, const PartEvents& events, TimeRange range)
    : profile_(profile),
      events_(events),
      range_(range),
      classes_(profile),
      lock_(profile.threads.size()),
      first_launch_(profile.threads.size(), kNever),
      first_of_all_(kNever) {
  // The main thread of the first process: before anything is launched it imports and prepares.
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
  AddOperations();
  AddWaits();
  AddQueueFull();
}

PartBuilder::~PartBuilder() = default;

PartBuilder::Cell& PartBuilder::At(NodeId node, ThreadId thread) {
  const uint64_t key = uint64_t{node.value} << 32 | thread.value;
  const auto [found, is_new] = index_.try_emplace(key, cells_.size());
  if (is_new) {
    Cell& cell = cells_.emplace_back();
    cell.node = node;
    cell.thread = thread;
  }
  return cells_[found->second];
}

// Calls `use` with the partition of the run and those of the process's lanes (on `device` only,
// where one is given that is known), and with what of [begin, end) lies in each.
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

void PartBuilder::AddOperations() {
  BusyClasses classes(profile_);
  for (const PhaseOperation& operation : events_.events.operations) {
    if (operation.thread) {
      HostNs& first = first_launch_[operation.thread.index()];
      const HostNs when = operation.launch > 0 ? operation.launch : operation.start;
      first = std::min(first, when);
      first_of_all_ = std::min(first_of_all_, when);
    }
    const bool begins = operation.start >= range_.begin && operation.start < range_.end;
    const int64_t ns = Within(range_, operation.start, operation.end);
    if (!begins && ns == 0) continue;
    if (operation.node && operation.thread) {
      Cell& cell = At(operation.node, operation.thread);
      cell.gpu = AddSaturated(cell.gpu, ns);
      cell.operations += begins ? 1 : 0;
    }
    const BusyClass what = classes.Of(operation.node);
    const ProcessId process =
        operation.thread ? profile_.thread(operation.thread).process : ProcessId{};
    ForWalls(process, DeviceOf(profile_, operation.stream), operation.start, operation.end,
             [&](WallPartition& wall, HostNs begin, HostNs end) {
               if (begin < end) wall.AddBusy(what, begin, end);
             });
  }
}

void PartBuilder::AddWaits() {
  for (const PhaseWait& wait : events_.events.waits) {
    const int64_t ns = Within(range_, wait.begin, wait.end);
    if (ns == 0) continue;
    if (!wait.node || !wait.thread) continue;
    Cell& cell = At(wait.node, wait.thread);
    cell.wait = AddSaturated(cell.wait, ns);
    const Frame& frame = profile_.frame(profile_.node(wait.node).frame);
    const std::string name(
        frame.function ? profile_.Text(profile_.function(frame.function).name) : "");
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

bool PartBuilder::ExplainsIdle(ThreadId thread, HostNs time) const {
  return time < first_of_all_ ? thread == main_ : first_launch_[thread.index()] <= time;
}

void PartBuilder::AddSamples(std::span<const SampleRow> samples) {
  for (const SampleRow& row : samples) {
    if (row.time < range_.begin || row.time >= range_.end || !row.thread || !row.node) continue;
    Cell& cell = At(row.node, row.thread);
    cell.time = AddSaturated(cell.time, row.weight);
    ++cell.samples;
    if ((row.state & kStateIdle) != 0) cell.idle = AddSaturated(cell.idle, row.weight);
    const int lock = row.state & kStateMask;
    auto& [held, released] = lock_[row.thread.index()];
    if (lock == kStateGilHeld) held = AddSaturated(held, row.weight);
    if (lock == kStateGilReleased) released = AddSaturated(released, row.weight);
    if (profile_.gpu.wall.empty() || !ExplainsIdle(row.thread, row.time)) continue;
    const HostClass what = classes_.Of(row.node, row.state);
    ForWalls(profile_.thread(row.thread).process, {}, row.time, row.time + 1,
             [&](WallPartition& wall, HostNs begin, HostNs end) {
               if (begin < end) wall.AddSample(what, row.time, row.weight);
             });
  }
}

void PartBuilder::Advance(HostNs time) {
  wall_.Advance(AddSaturated(time, WallPartition::kHoldBack));
  for (const auto& lane : lanes_) lane->wall.Advance(AddSaturated(time, WallPartition::kHoldBack));
}

// What instruction samples of a kernel say holds wherever it ran.
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
  PartValues out;
  const bool by_wall = static_cast<bool>(profile_.FindMetric("wall"));
  const std::pair<const char*, int64_t Cell::*> metrics[] = {
      {by_wall ? "wall" : "cpu", &Cell::time}, {"samples", &Cell::samples},
      {"idle", &Cell::idle},                   {kMetricGpu, &Cell::gpu},
      {kMetricGpuOps, &Cell::operations},      {kMetricGpuWait, &Cell::wait}};
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
  if (!profile_.gpu.wall.empty()) out.wall = wall_.Finish(range_.begin, range_.end);
  for (const auto& lane : lanes_) {
    WallLane& row = out.lanes.emplace_back(std::move(lane->row));
    row.parts = lane->wall.Finish(row.begin, row.end);
    row.hidden_communication_ns =
        std::clamp<int64_t>(lane->wall.hidden_communication_ns(), 0, row.end - row.begin);
  }
  return out;
}

void ShowPart(PartValues values, ShownPart part, Profile& profile) {
  part.whole.assign(profile.metrics.size(), 0);
  for (const Value& value : profile.values) {
    if (!value.metric) continue;
    int64_t& sum = part.whole[value.metric.index()];
    sum = AddSaturated(sum, value.self);
  }
  // How good the data are is said of the recording, also where it is told by its values only.
  const auto keep = [&](const char* counter, const char* metric) {
    const MetricId id = profile.FindMetric(metric);
    if (id) profile.quality.try_emplace(counter, part.whole[id.index()]);
  };
  keep("cpu_accounted_ns", profile.FindMetric("wall") ? "wall" : "cpu");
  keep("samples", "samples");
  profile.values = std::move(values.values);
  profile.gpu.wall = std::move(values.wall);
  profile.gpu.lanes = std::move(values.lanes);
  profile.part = std::move(part);
}

}  // namespace gprofx
