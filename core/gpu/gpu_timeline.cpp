#include "core/gpu/gpu_timeline.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/arithmetic.h"
#include "core/kernels/kernel_family.h"

namespace gprofx {
namespace {

// Delay before overlaps are computed. Records of GPU work rarely arrive later than this; those that
// do are counted as late. Each pending record takes 32 bytes.
constexpr HostNs kOverlapHoldBack = 10'000'000'000;
constexpr size_t kMaxWaiting = 1'000'000;
// Maximum number of pending events in the partitions of wall time, 24 bytes each. A program with
// 30,000 launches a second reaches half of it in a minute.
constexpr size_t kMaxWallEvents = 8'000'000;

}  // namespace

const GpuMetrics& GpuTimeline::metrics() {
  if (!metrics_) {
    GpuMetrics& m = metrics_.emplace();
    m.time = profile_.AddMetric(kMetricGpu, "ns", MetricKind::kExact);
    m.operations = profile_.AddMetric(kMetricGpuOps, "count", MetricKind::kExact);
    m.wait = profile_.AddMetric(kMetricGpuWait, "ns", MetricKind::kExact);
    m.pc_samples = profile_.AddMetric(kMetricPcSamples, "count", MetricKind::kSampled);
    m.pc_latency = profile_.AddMetric(kMetricPcLatency, "count", MetricKind::kSampled);
    for (size_t i = 0; i < kStallClasses; ++i) {
      m.stalls[i] = profile_.AddMetric(std::string(kMetricStallPrefix) + kStallClassNames[i],
                                       "count", MetricKind::kSampled);
    }
    m.bytes = profile_.AddMetric(kMetricGpuBytes, "bytes", MetricKind::kExact);
    m.overlapped = profile_.AddMetric(kMetricGpuOverlapped, "ns", MetricKind::kExact);
  }
  return *metrics_;
}

GpuKernelName GpuTimeline::NameKernel(std::string_view shown) {
  const FrameId frame = Marker(shown, FrameKind::kGpuKernel);
  return {profile_.frame(frame).function, frame, IsCommunicationKernel(shown)};
}

FrameId GpuTimeline::Marker(std::string_view text, FrameKind kind) {
  Function function;
  function.name = profile_.Intern(text);
  Frame frame;
  frame.kind = kind;
  frame.function = profile_.Intern(function);
  return profile_.Intern(frame);
}

NodeId GpuTimeline::Child(NodeId parent, FrameId frame) {
  if (profile_.nodes.size() < kMaxNodes) return profile_.Child(parent, frame);
  return profile_.Child(profile_.root(), Marker("[too many call paths]"));
}

ThreadId GpuTimeline::UnknownThread(ProcessId process) {
  ThreadId& thread = unknown_threads_[process.value];
  if (!thread) {
    Thread row;
    row.process = process;
    row.name = profile_.Intern("[unknown]");
    row.start = profile_.process(process).start;
    profile_.threads.push_back(row);
    thread = ThreadId{static_cast<uint32_t>(profile_.threads.size())};
  }
  return thread;
}

void GpuTimeline::MarkThread(ThreadId thread) {
  if (thread.value >= uses_gpu_.size()) uses_gpu_.resize(thread.value + 64);
  uses_gpu_[thread.value] = true;
}

void GpuTimeline::AddSample(const SampleRow& row) {
  const HostClass what = host_classes_.Of(row.node, row.state);
  wall_.AddSample(what, row.time, row.weight);
  if (UsesGpu(row.thread))
    lanes_.AddSample(profile_.thread(row.thread).process, what, row.time, row.weight);
}

void GpuTimeline::AddWaitPlace(const WaitPlaceEvent& event) {
  events_.wait_places.Append(event);
  if (!UsesGpu(event.thread)) return;
  const HostClass what = host_classes_.OfBlocked(event.node);
  wall_.AddLook(what, event.time);
  lanes_.AddLook(profile_.thread(event.thread).process, what, event.time);
}

void GpuTimeline::TakeEvents(const std::function<void(const EventTable&)>& sink) {
  for (EventTable* table : {&events_.kernels, &events_.copies, &events_.sets, &events_.syncs,
                            &events_.calls, &events_.overheads, &events_.levels, &events_.launches,
                            &events_.memory, &events_.environment, &events_.wait_places}) {
    if (table->rows() > 0) sink(*table);
    table->Clear();
  }
}

void GpuTimeline::AdvanceWall(HostNs now) {
  const size_t waiting = wall_.waiting() + lanes_.waiting();
  const HostNs hold_back = waiting > kMaxWallEvents ? kShortHoldBack : kHoldBack;
  const HostNs time = AddSaturated(now, -hold_back);
  wall_.Advance(time);
  lanes_.Advance(time);
  AdvanceOverlap(now - kOverlapHoldBack);
  if (overlap_.pending() > kMaxWaiting) AdvanceOverlap(overlap_.MiddleOfPending());
}

void GpuTimeline::AdvanceOverlap(HostNs time) {
  overlap_.Advance(time, [this](NodeId node, ThreadId thread, int64_t ns) {
    profile_.AddSelf(node, thread, metrics().overlapped, ns);
  });
}

void GpuTimeline::FinishMemory(ProcessId process) {
  bool any = false;
  NodeId before = profile_.root();
  for (const auto& [owner, account] : memory_.accounts()) {
    if (owner.process != process) continue;
    any = true;
    profile_.quality["gpu_memory_events"] += account.allocations() + account.frees();
    if (account.unmatched() != 0) {
      profile_.quality["gpu_memory_unmatched"] += account.unmatched();
    }
    // Add the frame for memory without a call path: a slice of the recording may have such memory
    // even if the whole recording has none at its peak.
    if (account.has_unknown()) {
      before = profile_.Child(profile_.root(), Marker(kAllocatedBefore));
    }
  }
  if (!any) return;
  profile_.AddMetric(kMetricGpuMemory, "bytes", MetricKind::kExact);
  profile_.AddMetric(kMetricGpuAllocated, "bytes", MetricKind::kExact);
  profile_.AddMetric(kMetricGpuAllocations, "count", MetricKind::kExact);
  for (const Value& value : MemoryValues(memory_, profile_, process, before)) {
    profile_.AddSelf(value.node, value.thread, value.metric, value.self);
  }
}

void GpuTimeline::AddWindows(ProcessId process, const std::vector<LevelWindow>& windows) {
  for (LevelWindow window : windows) {
    window.process = process;
    windows_.push_back(window);
  }
}

void GpuTimeline::DescribeWindows() {
  if (std::none_of(windows_.begin(), windows_.end(), IsGap)) return;
  const std::vector<LevelWindow> windows = OfLaunching(windows_);
  RecordsMade made;
  for (const LevelWindow& window : windows) AddWindow(window, kEarliest, kLatest, made);
  DescribeRecords(made, profile_.quality);
  if (estimating_) estimates_.Publish(profile_);
}

void GpuTimeline::FinishWall(HostNs end) {
  DescribeWindows();
  AdvanceOverlap(kLatest);
  if (overlap_.late() > 0) profile_.quality["gpu_overlap_late"] = overlap_.late();
  profile_.gpu.wall = wall_.Finish(0, end);
  profile_.quality["gpu_hidden_communication_ns"] = wall_.hidden_communication_ns();
  std::vector<HostNs> ends;
  for (const Process& process : profile_.processes) ends.push_back(process.end);
  profile_.gpu.lanes = lanes_.Finish(ends, end);
  if (places_.without_row() > 0) profile_.quality["gpu_without_place"] = places_.without_row();
  if (lanes_.without_lane() > 0) profile_.quality["gpu_work_without_lane"] = lanes_.without_lane();
}

}  // namespace gprofx
