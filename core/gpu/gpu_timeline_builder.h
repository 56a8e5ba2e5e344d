// Feeds the events of one process to a GpuTimeline (core/gpu/gpu_timeline.h): takes plain structs,
// produces rows and values.
//
// Numbers of devices, contexts, streams, graph nodes and correlations are the driver's, per
// process. `end` before `start` counts as `start`. One thread.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/gpu/gpu_launches.h"
#include "core/gpu/gpu_places.h"
#include "core/gpu/gpu_timeline.h"
#include "core/gpu/graph_captures.h"
#include "core/gpu/level_windows.h"
#include "core/gpu/untraced_tails.h"

namespace gprofx {

struct GpuWork {             // something that ran on a device
  uint32_t correlation = 0;  // of its launch
  HostNs start = 0, end = 0;
  uint64_t graph_node = 0;  // 0 = not in a CUDA graph
  uint32_t device = 0, context = 0, stream = 0;
};

struct GpuKernel {
  GpuWork work;
  GpuKernelName name;
  GpuKernelConfig config;  // its function is that of `name`
};

struct GpuCopy {
  GpuWork work;
  int64_t bytes = 0;
  uint32_t kind = 0;                // CUpti_ActivityMemcpyKind
  uint32_t source = 0, target = 0;  // CUpti_ActivityMemoryKind
};

struct GpuSet {
  GpuWork work;
  int64_t bytes = 0;
  uint32_t memory = 0;  // CUpti_ActivityMemoryKind
};

struct GpuSync {  // the device side of waiting
  uint32_t correlation = 0;
  HostNs start = 0, end = 0;
  uint32_t context = 0;
  uint32_t type = 0;  // CUpti_ActivitySynchronizationType
};

struct GpuCall {  // a driver call that puts no work on a device
  ThreadId thread;
  NodeId node;  // the stack of the call
  std::string name;
  HostNs begin = 0, end = 0;
  bool waits = false;  // for the device; only such calls become nodes of the tree
};

struct GpuOverhead {  // time taken by the driver or its tracing
  HostNs start = 0, end = 0;
  uint32_t kind = 0;        // CUpti_ActivityOverheadKind
  uint32_t tid = 0;         // OS thread id, 0 = not a thread's
  bool queue_full = false;  // a launch waited for queue space
};

struct GpuPlace {  // the place at which work was counted
  NodeId node;     // the work's own node
  ThreadId thread;
  HostNs launch = 0;  // 0 = unknown
};

class GpuTimelineBuilder {
 public:
  GpuTimelineBuilder(GpuTimeline& timeline, Profile& profile, ProcessId process);

  void AddDevice(uint32_t number, const GpuDeviceFacts& facts) { places_.AddDevice(number, facts); }
  void AddContext(uint32_t number, uint32_t device) { places_.AddContext(number, device); }
  // Returns false if the table is full.
  bool AddGraphNode(const GraphNode& node) { return captures_.Add(node); }

  // A call that puts work on a device: exactly one per call, recorded or not.
  void AddLaunch(const GpuLaunch& launch);

  // Records of what ran. `stack_of` provides the stacks of graph nodes. Returns nothing if the end
  // cannot be correct: the record is dropped and counted (quality gpu_records_no_end).
  std::optional<GpuPlace> AddKernel(const GpuKernel& kernel, const StackOf& stack_of);
  std::optional<GpuPlace> AddCopy(const GpuCopy& copy, const StackOf& stack_of);
  std::optional<GpuPlace> AddSet(const GpuSet& set, const StackOf& stack_of);
  void AddSync(const GpuSync& sync);
  void AddCall(const GpuCall& call);
  void AddOverhead(const GpuOverhead& overhead);
  // `device` is the process's number; this sets `event.device` and `event.process`. Does nothing if
  // the device is unknown.
  void AddEnvironment(EnvironmentEvent event, uint32_t device);
  void AddWaitPlace(const WaitPlaceEvent& event) { timeline_.AddWaitPlace(event); }
  // Adds an allocation or a free; call in the order in which the allocator did them. `device` is
  // the process's number; this sets `event.device` and `event.process`.
  void AddMemory(MemoryEvent event, uint32_t device);
  // Writes the memory values to the tree. Called once, after all events; Finish also does this.
  void FinishMemory() { timeline_.FinishMemory(process_); }

  // EndLevel: a level of recording ends. BeginLevel: the next level is fully in effect
  // (core/gpu/level_windows.h). `launches`: number of launches of the process so far.
  void EndLevel(HostNs end, int64_t launches);
  void BeginLevel(HostNs begin, bool recording, bool traced, int64_t launches);
  // The process or the run has ended.
  void Finish(HostNs end, int64_t launches);

  // Approximate memory kept for this process, without rows and the profile.
  size_t bytes() const;

  // Returns how many warps of a kernel can be resident on its device at once, that is, how much of
  // the device it fills.
  uint64_t ResidentWarps(const GpuKernel& kernel) const;

 private:
  bool HasTrueEnd(const GpuWork& work);
  void CountLaunches(HostNs before);
  GpuPlace Account(const GpuWork& work, FrameId frame, BusyClass what, const StackOf& stack_of);
  void AddUnseen(HostNs begin, HostNs end);
  void AddTails(HostNs before);
  void CountBytes(const GpuPlace& place, int64_t bytes);
  template <class Event>
  Event RowOf(const GpuWork& work, const GpuPlace& place);

  GpuTimeline& timeline_;
  Profile& profile_;
  ProcessId process_;
  LaunchTable launches_;
  ProcessPlaces places_;
  GraphCaptures captures_;
  LevelWindows levels_;
  std::deque<std::pair<HostNs, NodeId>> undecided_;  // launches whose window is not yet known
  UntracedTails tails_;
  HostNs untraced_until_ =
      0;  // end of the latest window without records, once another has begun; 0 = none
  // Longest duration by graph node, of work wholly inside times with records.
  std::unordered_map<uint64_t, int64_t> longest_of_node_;
  HostNs memory_time_ = -1;  // of the latest event
};

}  // namespace gprofx
