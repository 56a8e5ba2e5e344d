// What programs do on GPUs -> rows of the event streams, values in the calling-context tree and the
// partition of the wall time, whatever the events come from: the wire or a trace of another tool.
//
// A GpuTimeline belongs to a run; each of its processes feeds it through a GpuTimelineBuilder of
// its own. Launches and work are apart: a launch is a call that was seen and counted; a kernel,
// copy or memset is a record of what ran, and not every launch needs to have one. The work of a
// launch may come in any number of records, before or after other launches, but not before its own.
//
// A kernel, copy or memset is a child of the stack that launched it (for a CUDA graph: below the
// stack that captured it, too); its duration is added to the nanosecond, on the launching thread.
// Work whose launch is not known stands below a marker at the root. Metrics appear in the profile
// with the first event, so that a program without a GPU has none. What the tree and the tables can
// grow to is bounded. Pure; one thread; the profile must outlive the timeline, the timeline its
// builders. Times are HostNs, bytes and durations int64_t.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/events/events.h"
#include "core/gpu/gpu_estimates.h"
#include "core/gpu/gpu_memory.h"
#include "core/gpu/gpu_overlap.h"
#include "core/gpu/gpu_places.h"
#include "core/gpu/level_windows.h"
#include "core/model/host_class.h"
#include "core/model/profile.h"
#include "core/wall/wall_lanes.h"
#include "core/wall/wall_partition.h"

namespace gprofx {

struct GpuMetrics {
  MetricId time, operations, wait, pc_samples, pc_latency;
  std::array<MetricId, kStallClasses> stalls;
  MetricId bytes, overlapped;
};

struct GpuEvents {  // rows that were not taken yet
  EventTable kernels{Stream::kKernels}, copies{Stream::kCopies}, sets{Stream::kSets},
      syncs{Stream::kSyncs}, calls{Stream::kCalls}, overheads{Stream::kOverheads},
      levels{Stream::kGpuLevels}, launches{Stream::kGpuLaunches}, memory{Stream::kGpuMemory},
      environment{Stream::kGpuEnvironment}, wait_places{Stream::kWaitPlaces};
};

struct GpuKernelName {
  FunctionId function;
  FrameId frame;               // kGpuKernel
  bool communication = false;  // a kernel of a communication library
};

class GpuTimeline {
 public:
  static constexpr size_t kMaxNodes = 6'000'000;  // of the profile, with those of the GPU

  explicit GpuTimeline(Profile& profile)
      : places_(profile), profile_(profile), host_classes_(profile) {}

  // Records are made all the time: there is nothing to estimate, and nothing is kept for it. Before
  // the first event.
  void TracesAll() { estimating_ = false; }

  bool used() const { return metrics_.has_value(); }
  // Memory was recorded; without a GPU side of ours there may be nothing else.
  bool has_memory() const { return !memory_.accounts().empty(); }
  const GpuMetrics& metrics();

  // `shown` as people read it: demangled. Made once for each name by the caller.
  GpuKernelName NameKernel(std::string_view shown);

  // Threads that put work on a GPU.
  bool UsesGpu(ThreadId thread) const {
    return thread.value < uses_gpu_.size() && uses_gpu_[thread.value];
  }
  // Do its CPU samples say why no GPU is busy? Threads that use one; before any does, the program's
  // main thread: it imports and prepares.
  bool ExplainsIdle(ThreadId thread, ThreadId main) const {
    return uses_gpu_.empty() ? thread == main : UsesGpu(thread);
  }
  // A CPU sample of such a thread.
  void AddSample(const SampleRow& row);
  // One did not run.
  void AddWaitPlace(const WaitPlaceEvent& event);

  const GpuEvents& events() const { return events_; }
  // Gives each stream that has rows to `sink`, and forgets them.
  void TakeEvents(const std::function<void(const EventTable&)>& sink);

  static constexpr HostNs kHoldBack = 60'000'000'000, kShortHoldBack = 10'000'000'000;
  // Works off wall time that is kHoldBack ago, and how work overlapped: records come late. Where
  // too much waits for that, kShortHoldBack ago.
  void AdvanceWall(HostNs now);
  // The run ended: its partition and those of processes on GPUs go to the profile, with
  // quality["gpu_hidden_communication_ns"]; and where records were made for a part of the time
  // only, estimates (quality gpu_level_...). Once.
  void FinishWall(HostNs end);
  int64_t late_wall_ns() const { return wall_.late_ns(); }

  // About what is kept of all processes until the end, without the profile.
  size_t bytes() const { return memory_.bytes(); }

  int64_t unlaunched() const { return unlaunched_; }  // work without a known launch

 private:
  friend class GpuTimelineBuilder;

  // As Profile::Child, until the tree is too large; then a node that says so.
  NodeId Child(NodeId parent, FrameId frame);
  FrameId Marker(std::string_view text, FrameKind kind = FrameKind::kMarker);
  // Stands for the thread of work whose launch was not seen; found or made.
  ThreadId UnknownThread(ProcessId process);
  void MarkThread(ThreadId thread);
  void FinishMemory(ProcessId process);
  void AddWindows(ProcessId process, const std::vector<LevelWindow>& windows);
  void DescribeWindows();
  void AdvanceOverlap(HostNs time);

  GpuPlaces places_;
  Profile& profile_;
  HostClasses host_classes_;
  std::optional<GpuMetrics> metrics_;
  GpuEvents events_;
  WallPartition wall_;
  WallLanes lanes_;
  GpuOverlap overlap_;
  std::unordered_map<uint32_t, ThreadId> unknown_threads_;  // by process
  std::vector<bool> uses_gpu_;                              // by ThreadId::value
  int64_t unlaunched_ = 0;
  GpuEstimates estimates_;
  GpuMemory memory_;
  bool estimating_ = true;
  std::vector<LevelWindow> windows_;  // of all processes, one after the other
};

}  // namespace gprofx
