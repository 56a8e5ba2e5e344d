// Feeds the events of one process to a GpuTimeline (core/gpu/gpu_timeline.h): plain structs in,
// rows and values out.
//
// Numbers of devices, contexts, streams, graph nodes and correlations are those of the process, as
// the driver counts them. `end` before `start` counts as `start`. One thread.
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
  uint64_t graph_node = 0;  // 0 = of no CUDA graph
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

struct GpuCall {  // a call of the driver that puts no work on a device
  ThreadId thread;
  NodeId node;  // the stack of the call
  std::string name;
  HostNs begin = 0, end = 0;
  bool waits = false;  // for the device: then it is a node of the tree, with its time
};

struct GpuOverhead {  // time that the driver or its tracing took
  HostNs start = 0, end = 0;
  uint32_t kind = 0;        // CUpti_ActivityOverheadKind
  uint32_t tid = 0;         // of the operating system, 0 = not a thread's
  bool queue_full = false;  // a launch waited for room
};

struct GpuPlace {  // where work was counted
  NodeId node;     // of its own
  ThreadId thread;
  HostNs launch = 0;  // 0 = unknown
};

class GpuTimelineBuilder {
 public:
  GpuTimelineBuilder(GpuTimeline& timeline, Profile& profile, ProcessId process);

  void AddDevice(uint32_t number, const GpuDeviceFacts& facts) { places_.AddDevice(number, facts); }
  void AddContext(uint32_t number, uint32_t device) { places_.AddContext(number, device); }
  // False: there is no room for one more.
  bool AddGraphNode(const GraphNode& node) { return captures_.Add(node); }

  // A call that puts work on a device: exactly one for each, traced or not.
  void AddLaunch(const GpuLaunch& launch);

  // Records of what ran. `stack_of` for the stacks of graph nodes. Nothing where the end cannot be
  // true: such a record is left out and counted (quality gpu_records_no_end).
  std::optional<GpuPlace> AddKernel(const GpuKernel& kernel, const StackOf& stack_of);
  std::optional<GpuPlace> AddCopy(const GpuCopy& copy, const StackOf& stack_of);
  std::optional<GpuPlace> AddSet(const GpuSet& set, const StackOf& stack_of);
  void AddSync(const GpuSync& sync);
  void AddCall(const GpuCall& call);
  void AddOverhead(const GpuOverhead& overhead);
  // `device` as the process counts them; the event's own and its process are set here. Nothing
  // where nobody has described the device.
  void AddEnvironment(EnvironmentEvent event, uint32_t device);
  void AddWaitPlace(const WaitPlaceEvent& event) { timeline_.AddWaitPlace(event); }
  // In the order of their allocators; `device` as the process counts them, the event's own and its
  // process are set here.
  void AddMemory(MemoryEvent event, uint32_t device);
  // Its values in the tree: once, behind all. Finish does it, too.
  void FinishMemory() { timeline_.FinishMemory(process_); }

  // A level of recording is left, and another one is wholly on (core/gpu/level_windows.h).
  // `launches`: of the process so far.
  void EndLevel(HostNs end, int64_t launches);
  void BeginLevel(HostNs begin, bool recording, bool traced, int64_t launches);
  // The process has ended, or the run.
  void Finish(HostNs end, int64_t launches);

  // About what is kept in memory of this process, without rows and the profile.
  size_t bytes() const;

  // Warps of a kernel that can be resident on its device at once: how much of the device it fills.
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
  std::deque<std::pair<HostNs, NodeId>> undecided_;  // launches whose window is not known yet
  UntracedTails tails_;
  HostNs untraced_until_ =
      0;  // the latest window without records, once another has begun; 0 = none
  // By graph node: of the work that lay wholly where there were records.
  std::unordered_map<uint64_t, int64_t> longest_of_node_;
  HostNs memory_time_ = -1;  // of the latest event
};

}  // namespace gprofx
