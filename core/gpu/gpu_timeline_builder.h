// Feeds the events of one process to a GpuTimeline (core/gpu/gpu_timeline.h). It takes plain
// structs and adds rows and values.
//
// Numbers of devices, contexts, streams, graph nodes and correlations are those of the driver in
// this process. An `end` before `start` counts as `start`. One thread.
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

struct GpuWork {             // an operation that ran on a device
  uint32_t correlation = 0;  // id of the launch
  HostNs start = 0, end = 0;
  uint64_t graph_node = 0;  // 0 = not in a CUDA graph
  uint32_t device = 0, context = 0, stream = 0;
};

struct GpuKernel {
  GpuWork work;
  GpuKernelName name;
  GpuKernelConfig config;  // the config's function must be that of `name`
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

struct GpuSync {  // a device-side record of a wait
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
  bool waits = false;  // until a device is done; calls that do not wait get no node
};

struct GpuOverhead {  // time that the driver or its tracing took
  HostNs start = 0, end = 0;
  uint32_t kind = 0;        // CUpti_ActivityOverheadKind
  uint32_t tid = 0;         // OS thread id; 0 = of no thread
  bool queue_full = false;  // a launch waited for queue space
};

struct GpuPlace {  // where work was added
  NodeId node;     // the node of the work itself
  ThreadId thread;
  HostNs launch = 0;  // time of the launch; 0 = unknown
};

class GpuTimelineBuilder {
 public:
  GpuTimelineBuilder(GpuTimeline& timeline, Profile& profile, ProcessId process);

  void AddDevice(uint32_t number, const GpuDeviceFacts& facts) { places_.AddDevice(number, facts); }
  void AddContext(uint32_t number, uint32_t device) { places_.AddContext(number, device); }
  // Adds a graph node. Returns false if the table of graph nodes is full.
  bool AddGraphNode(const GraphNode& node) { return captures_.Add(node); }

  // Adds a call that puts work on a device. Call exactly once per such call, even if its work is
  // not recorded.
  void AddLaunch(const GpuLaunch& launch);

  // Add a record of work that ran. `stack_of` returns the stacks of graph nodes. No value if the
  // end of the record cannot be correct: the record is then dropped and counted (quality
  // gpu_records_no_end).
  std::optional<GpuPlace> AddKernel(const GpuKernel& kernel, const StackOf& stack_of);
  std::optional<GpuPlace> AddCopy(const GpuCopy& copy, const StackOf& stack_of);
  std::optional<GpuPlace> AddSet(const GpuSet& set, const StackOf& stack_of);
  void AddSync(const GpuSync& sync);
  void AddCall(const GpuCall& call);
  void AddOverhead(const GpuOverhead& overhead);
  // Adds the event, with `event.device` and `event.process` set. `device` is the number that the
  // process uses. Does nothing if the device is unknown.
  void AddEnvironment(EnvironmentEvent event, uint32_t device);
  void AddWaitPlace(const WaitPlaceEvent& event) { timeline_.AddWaitPlace(event); }
  // Adds an allocation or a free. Call in the order in which the allocator did them. `device` is
  // the number that the process uses; `event.device` and `event.process` are set from it.
  void AddMemory(MemoryEvent event, uint32_t device);
  // Writes the memory values to the tree. Call at most once, after all events. Finish writes them,
  // too, so do not call both.
  void FinishMemory() { timeline_.FinishMemory(process_); }

  // A level says what is recorded (core/gpu/level_windows.h). Call EndLevel when the current level
  // ends, and BeginLevel when the next level has completely taken effect. `launches` is the number
  // of launches of the process so far.
  void EndLevel(HostNs end, int64_t launches);
  void BeginLevel(HostNs begin, bool recording, bool traced, int64_t launches);
  // Ends the events of this process. Call when the process or the run has ended. `launches` is the
  // number of launches of the process.
  void Finish(HostNs end, int64_t launches);

  // Approximate memory in bytes that is kept for this process, without the event rows and the
  // profile.
  size_t bytes() const;

  // Returns how many warps of a kernel can be resident on its device at once, which shows how much
  // of the device the kernel fills.
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
  // Recent launches: it is not yet known whether they belong to the gap that begins next.
  std::deque<std::pair<HostNs, NodeId>> undecided_;
  UntracedTails tails_;
  // End of the latest window without records; 0 = none, or a window with records has begun since.
  HostNs untraced_until_ = 0;
  // By graph node: longest duration of its work, only from work that lies wholly in times with
  // records.
  std::unordered_map<uint64_t, int64_t> longest_of_node_;
  HostNs memory_time_ = -1;  // time of the latest memory event
};

}  // namespace gprofx
