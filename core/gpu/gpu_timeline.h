// Turns GPU events of programs into rows of the event streams, values in the calling-context tree
// and the partition of the wall time. The events may come from a running program or from a trace of
// another tool.
//
// A GpuTimeline belongs to a run; each process feeds it through its own GpuTimelineBuilder.
// Launches and work are separate events: a launch is a counted call; a kernel, copy or memset is a
// record of what ran. Not every launch has a record. The work of a launch may come in any number of
// records, before or after other launches, but not before its own.
//
// A kernel, copy or memset becomes a child of the stack that launched it. For a CUDA graph, the
// stack that captured it is in between. Its duration is added to the nanosecond, on the launching
// thread. Work without a known launch goes below a marker at the root. Metrics are added to the
// profile with the first event, so a program without a GPU has none. The size of the tree and the
// tables is bounded. Pure; one thread. The profile must outlive the timeline, and the timeline its
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

struct GpuEvents {  // event rows that TakeEvents has not yet passed on
  EventTable kernels{Stream::kKernels}, copies{Stream::kCopies}, sets{Stream::kSets},
      syncs{Stream::kSyncs}, calls{Stream::kCalls}, overheads{Stream::kOverheads},
      levels{Stream::kGpuLevels}, launches{Stream::kGpuLaunches}, memory{Stream::kGpuMemory},
      environment{Stream::kGpuEnvironment}, wait_places{Stream::kWaitPlaces};
};

struct GpuKernelName {
  FunctionId function;
  FrameId frame;               // of kind kGpuKernel
  bool communication = false;  // a kernel of a communication library
};

class GpuTimeline {
 public:
  // Maximum number of nodes of the profile, GPU nodes included.
  static constexpr size_t kMaxNodes = 6'000'000;

  explicit GpuTimeline(Profile& profile)
      : places_(profile), profile_(profile), host_classes_(profile) {}

  // Call if GPU work is recorded all the time, before the first event. No samples for estimates are
  // then kept.
  void TracesAll() { estimating_ = false; }

  bool used() const { return metrics_.has_value(); }
  // True if GPU memory was recorded. It may be the only GPU data, if the program ran without the
  // profiler's GPU library.
  bool has_memory() const { return !memory_.accounts().empty(); }
  const GpuMetrics& metrics();

  // Returns the frame and the function of a kernel. `shown` is its demangled name. Call once per
  // name.
  GpuKernelName NameKernel(std::string_view shown);

  // True for threads that put work on a GPU.
  bool UsesGpu(ThreadId thread) const {
    return thread.value < uses_gpu_.size() && uses_gpu_[thread.value];
  }
  // True if the CPU samples of `thread` explain why no GPU is busy. This holds for threads that use
  // a GPU. Before any thread uses one, it holds for `main`, the main thread of the program, which
  // imports modules and prepares.
  bool ExplainsIdle(ThreadId thread, ThreadId main) const {
    return uses_gpu_.empty() ? thread == main : UsesGpu(thread);
  }
  // Adds a CPU sample of a thread for which ExplainsIdle() is true.
  void AddSample(const SampleRow& row);
  // Adds the event of a probe that found a thread not running. The event is always stored, but
  // explains idle time only if the thread uses a GPU.
  void AddWaitPlace(const WaitPlaceEvent& event);

  const GpuEvents& events() const { return events_; }
  // Passes each stream that has rows to `sink`, then clears all streams.
  void TakeEvents(const std::function<void(const EventTable&)>& sink);

  static constexpr HostNs kHoldBack = 60'000'000'000, kShortHoldBack = 10'000'000'000;
  // Computes the wall-time partition up to kHoldBack before `now`. The delay leaves time for late
  // records. If too many events are pending, the delay is kShortHoldBack. Also computes how GPU
  // work overlapped, with a delay of its own.
  void AdvanceWall(HostNs now);
  // Ends the run. Writes three things to the profile: the wall-time partition of the run, that of
  // each process on each GPU, and quality["gpu_hidden_communication_ns"]. If GPU work was recorded
  // only part of the time, also writes estimates and the counters gpu_level_... Call once.
  void FinishWall(HostNs end);
  int64_t late_wall_ns() const { return wall_.late_ns(); }

  // Approximate memory in bytes that is kept until the end, for all processes, without the profile.
  size_t bytes() const { return memory_.bytes(); }

  int64_t unlaunched() const { return unlaunched_; }  // operations without a known launch

 private:
  friend class GpuTimelineBuilder;

  // Like Profile::Child. If the tree is full, returns a node whose name says that.
  NodeId Child(NodeId parent, FrameId frame);
  FrameId Marker(std::string_view text, FrameKind kind = FrameKind::kMarker);
  // Returns the row of the thread "[unknown]" of a process, and adds it if needed. Work without a
  // known launch belongs to this thread.
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
  std::vector<LevelWindow> windows_;  // of all processes, one process after another
};

}  // namespace gprofx
