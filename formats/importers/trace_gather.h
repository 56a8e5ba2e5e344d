// Collects the contents of another tool's trace in any order, then makes a profile of it.
// Independent of the tool.
//
// Traces are not sorted, so host spans and GPU work are kept (about 10 and 80 bytes each) until the
// end.
// Then spans become call paths with the time spent in them (metric "host": exact, waiting
// included). Work goes in order of time through the builder that recordings use
// (core/gpu/gpu_timeline_builder.h), each operation below the call with its correlation id. Work
// whose call is not in the trace was launched before the trace began: it is kept and counted
// (import_unlinked). Where the trace does not say whose work it is, gather/work_owners.h decides,
// and counts guesses (import_guessed_processes).
// Backward work of modules is placed below a marker and the path of its forward pass
// (core/events/backward_marker.h). All sums equal those of the trace, to the nanosecond. What is
// left out is counted by name (import_left_out_...). Input times are nanoseconds of the trace's own
// clock; the profile's times begin at 0 with the first event.
//
// Pure except for `sink`; one thread; the profile must outlive the object.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/gpu/gpu_timeline_builder.h"
#include "core/kernels/operator_work.h"
#include "core/model/profile.h"
#include "formats/importers/gather/backward_paths.h"
#include "formats/importers/gather/limits.h"
#include "formats/importers/host_tree.h"
#include "formats/importers/launch_calls.h"
#include "formats/importers/usual_times.h"

namespace gprofx::importers {

inline constexpr char kMetricHost[] = "host";  // ns, exact: in traced spans of host threads

struct TraceWork {  // a kernel, a copy or a memset
  enum Kind : uint8_t { kKernel, kCopy, kSet };
  int64_t start = 0, duration = 0, bytes = 0;
  ProcessId process;  // 0 = unknown
  StringId group;     // as in OwnedWork
  uint32_t correlation = 0, device = 0, context = 0, stream = 0;
  uint32_t config = 0;                            // kernels: from AddConfig
  uint8_t copy_kind = 0, source = 0, target = 0;  // as in GpuCopy; memsets: target only
  Kind kind = kKernel;
  bool may_enclose = false;  // may stand for what other work of its row does within its time
  bool encloses = false;     // set by Finish: it does
  uint32_t row = 0;          // 0 = none
  uint32_t call = 0;         // set by Finish: the call that launched it, if its id is repeated
  ProcessId before, after;   // set by AddWork and AddHost: as in OwnedWork
};

struct TraceMarker {  // a named range or moment
  int64_t start = 0, duration = 0;
  ThreadId thread;
  StringId name;
};

struct TraceMemory {  // a block that a framework's allocator gave out or took back
  int64_t time = 0;
  ThreadId thread;
  uint32_t device = 0;
  uint64_t address = 0;
  int64_t bytes = 0;                      // negative: taken back
  int64_t allocated = -1, reserved = -1;  // as in MemoryEvent
  NodeId node;                            // set by Finish
};

struct TraceSync {
  int64_t start = 0, duration = 0;
  ProcessId process, before, after;  // as of TraceWork
  StringId group;
  uint32_t correlation = 0, device = 0, context = 0, type = 0;
};

class TraceGather {
 public:
  explicit TraceGather(Profile& profile)
      : profile_(profile), timeline_(profile), backwards_(profile) {
    timeline_.TracesAll();
  }

  Profile& profile() { return profile_; }

  ProcessId Process(int64_t pid);  // finds or creates, like Thread()
  ThreadId Thread(int64_t pid, int64_t tid);
  // Like Thread(), for a thread whose process the trace does not name. The thread joins the process
  // with the most spans.
  ThreadId OrphanThread(int64_t tid);
  // Set the name of a process or thread. No effect if Process() or Thread() has not created it.
  void NameKnownProcess(int64_t pid, std::string_view name);
  void NameKnownThread(int64_t pid, int64_t tid, std::string_view name);
  // For ids that are words: the number that stands for it was made up. Gives the process or thread
  // the word as its name and the word's own number, and a process the label in it as its group.
  void DescribeProcess(int64_t pid, std::string_view word);
  void DescribeThread(int64_t pid, int64_t tid, std::string_view word);
  // Forgets the spans of a thread that turned out to be none. False if there is no such thread.
  bool DropThread(int64_t pid, int64_t tid);

  FrameId Frame(FrameKind kind, std::string_view name, std::string_view file = {},
                uint32_t line = 0);

  // Registers an operator's work; returns the number for HostSpan::work.
  uint32_t AddWorkOf(const OperatorWork& work);
  void AddHost(ThreadId thread, const HostSpan& span);
  uint32_t AddConfig(std::string_view kernel, const GpuKernelConfig& config);
  void AddWork(const TraceWork& work);
  void AddSync(const TraceSync& sync);
  void AddMemory(const TraceMemory& memory);
  // Adds a step or an NVTX range: a row of the stream "markers".
  void AddMarker(const TraceMarker& marker);
  // Adds a GPU as `process` sees it, by the process's number. Process 0: all processes share the
  // device. `shown`: its number on the machine.
  void AddDevice(ProcessId process, uint32_t number, const GpuDeviceFacts& facts, uint32_t shown);

  void LeaveOut(const std::string& what, int64_t count = 1);

  // Sets the real time (CLOCK_REALTIME) at time 0 of the trace's clock. Optional.
  void SetClock(int64_t realtime_of_zero) { realtime_of_zero_ = realtime_of_zero; }

  // Makes the profile and passes rows of streams to `sink`. Call once, at the end.
  Status Finish(const std::function<Status(const EventTable&)>& sink);

 private:
  struct Wait {
    int64_t start = 0, end = 0;
    ThreadId thread;
    NodeId caller;
    StringId name;
  };

  struct Placed {  // a span and its node
    int64_t start = 0, end = 0;
    NodeId node;
  };

  struct Device {
    GpuDeviceFacts facts;
    uint32_t shown = 0;
  };

  bool CheckTime(int64_t start, int64_t duration);
  void NoteHostProcess(ProcessId process);
  void FindUsualTimes();
  Status LeaveOutFarTimes();
  void LeaveOutEnclosingWork();
  bool IsEmpty() const;
  std::string WhatWasLeftOut() const;
  ThreadId AddThread(ProcessId process, int64_t tid);
  void FindHome();
  LaunchIds IdsOfWork() const;
  void PlaceHost();
  void DescribeCuts(const CutSpans& cut);
  GpuTimelineBuilder& Builder(ProcessId process);
  void DescribeDevices();
  void FindOwners();
  void FindCalls();
  uint32_t ContextOf(const TraceWork& work);
  HostNs Moved(int64_t time) const { return time - first_; }
  void FeedWork(const TraceWork& work);
  Status FeedAll(const std::function<Status(const EventTable&)>& sink);
  Status GiveMarkers(const std::function<Status(const EventTable&)>& sink);
  void PlaceMemory(std::vector<TraceMemory>& memory);
  void FeedMemory();
  void Describe();

  Profile& profile_;
  GpuTimeline timeline_;
  std::map<int64_t, ProcessId> processes_;
  std::map<std::pair<int64_t, int64_t>, ThreadId> threads_;
  std::map<int64_t, ThreadId> orphans_;
  std::vector<SpanStore> spans_;  // by thread
  std::deque<TraceWork> work_;
  std::vector<TraceSync> syncs_;
  std::map<ThreadId, std::vector<TraceMemory>> memory_;
  std::vector<Placed> here_;  // spans of the thread whose memory events are being placed
  std::deque<TraceMarker> markers_;
  std::vector<std::pair<GpuKernelName, GpuKernelConfig>> configs_;
  std::map<GpuKernelConfig, uint32_t> config_index_;
  std::unordered_map<std::string, GpuKernelName> kernels_;
  std::map<std::pair<ProcessId, uint32_t>, Device> devices_;
  std::map<std::pair<ProcessId, uint32_t>, std::map<uint32_t, uint32_t>> contexts_;
  uint32_t made_up_contexts_ = 0;
  std::map<ProcessId, GpuTimelineBuilder> builders_;
  std::vector<OperatorWork> operator_work_;
  std::map<std::pair<int64_t, int64_t>, uint32_t> operator_work_index_;
  BackwardPaths backwards_;
  LaunchCalls calls_;
  EventTable launch_calls_{Stream::kLaunchCalls};
  std::vector<Wait> waits_;
  ProcessId home_;                                 // the process with the most spans
  ProcessId latest_;                               // of the last host event
  size_t followed_work_ = 0, followed_syncs_ = 0;  // those whose next host event is known
  int64_t turns_ = 0;  // how often host events of another process follow in the file
  int64_t host_processes_ = 0;
  std::map<ProcessId, StringId> groups_;
  UsualTimes usual_;
  int64_t first_ = 0, last_ = 0;
  std::optional<int64_t> realtime_of_zero_;
};

}  // namespace gprofx::importers
