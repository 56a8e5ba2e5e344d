// Collects the contents of a trace of another tool, in any order, then makes a profile of it. Does
// not depend on the tool.
//
// Traces are not sorted. Host spans and GPU work are therefore kept until the end, with about 10
// and 80 bytes each. Finish then does the following:
//
//  * Spans become call paths with the time spent in them (metric "host": exact, waiting included).
//  * Work is passed, in the order of time, to the builder that recordings use
//    (core/gpu/gpu_timeline_builder.h). Each operation is placed below the call with its
//    correlation id. Work whose call is not in the trace was launched before the trace began: it is
//    kept and counted (import_unlinked). If the trace does not say which process work belongs to,
//    gather/work_owners.h decides, and guesses are counted (import_guessed_processes).
//  * Backward work of modules is placed below a marker and the path of its forward pass
//    (core/events/backward_marker.h).
//
// All sums equal those of the trace, to the nanosecond. Events that are left out are counted by
// name (import_left_out_...). Input times are nanoseconds of the trace's own clock. The times of
// the profile begin at 0 with the first event.
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

inline constexpr char kMetricHost[] = "host";  // ns, exact; time in the spans of host threads

struct TraceWork {  // a kernel, a copy or a memset
  enum Kind : uint8_t { kKernel, kCopy, kSet };
  int64_t start = 0, duration = 0, bytes = 0;
  ProcessId process;  // 0 = unknown
  StringId group;     // label of the rank, as in OwnedWork
  uint32_t correlation = 0, device = 0, context = 0, stream = 0;
  uint32_t config = 0;                            // kernels: number from AddConfig
  uint8_t copy_kind = 0, source = 0, target = 0;  // as in GpuCopy; a memset has only `target`
  Kind kind = kKernel;
  bool may_enclose = false;  // its row may show an operation and the operations within it
  bool encloses = false;     // set by Finish: it encloses other work
  uint32_t row = 0;          // row of the trace, 0 = none
  uint32_t call = 0;         // set by Finish if the id is repeated: 1 + index of the call
  ProcessId before, after;   // set by AddWork and AddHost; see OwnedWork
};

struct TraceMarker {  // a named range or moment
  int64_t start = 0, duration = 0;
  ThreadId thread;
  StringId name;
};

struct TraceMemory {  // an allocation or free of a framework's allocator
  int64_t time = 0;
  ThreadId thread;
  uint32_t device = 0;
  uint64_t address = 0;
  int64_t bytes = 0;                      // negative: freed
  int64_t allocated = -1, reserved = -1;  // totals after it, as in MemoryEvent; -1 = unknown
  NodeId node;                            // node of the call path; set by Finish
};

struct TraceSync {
  int64_t start = 0, duration = 0;
  ProcessId process, before, after;  // `before`, `after`: as in TraceWork
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

  ProcessId Process(int64_t pid);  // finds or adds it, as Thread() does
  ThreadId Thread(int64_t pid, int64_t tid);
  // Like Thread(), for a thread of an unknown process. At the end, the thread is assigned to the
  // process with the most spans.
  ThreadId OrphanThread(int64_t tid);
  // Set the name of a process or thread. They do nothing if Process() or Thread() has not been
  // called for it.
  void NameKnownProcess(int64_t pid, std::string_view name);
  void NameKnownThread(int64_t pid, int64_t tid, std::string_view name);
  // Describe a process or thread whose id is a text (`word`). The id `pid` or `tid` was invented
  // for it. The text becomes the name of the process or thread, and the number in the text becomes
  // its number. The label in the text becomes the group of a process.
  void DescribeProcess(int64_t pid, std::string_view word);
  void DescribeThread(int64_t pid, int64_t tid, std::string_view word);
  // Removes the spans of a row of the trace that has turned out not to be a host thread. Returns
  // false if there is no such row.
  bool DropThread(int64_t pid, int64_t tid);

  FrameId Frame(FrameKind kind, std::string_view name, std::string_view file = {},
                uint32_t line = 0);

  // Stores the work of an operator. Returns the number to use as HostSpan::work.
  uint32_t AddWorkOf(const OperatorWork& work);
  void AddHost(ThreadId thread, const HostSpan& span);
  uint32_t AddConfig(std::string_view kernel, const GpuKernelConfig& config);
  void AddWork(const TraceWork& work);
  void AddSync(const TraceSync& sync);
  void AddMemory(const TraceMemory& memory);
  // Adds a step or an NVTX range, which becomes a row of the stream "markers".
  void AddMarker(const TraceMarker& marker);
  // Adds a GPU that `process` knows by `number`. If `process` is 0, all processes share the device.
  // `shown` is the number of the GPU on the machine.
  void AddDevice(ProcessId process, uint32_t number, const GpuDeviceFacts& facts, uint32_t shown);

  void LeaveOut(const std::string& what, int64_t count = 1);

  // Sets the real time (CLOCK_REALTIME) at time 0 of the trace's clock. The call is optional.
  void SetClock(int64_t realtime_of_zero) { realtime_of_zero_ = realtime_of_zero; }

  // Makes the profile and passes the rows of streams to `sink`. Call once, at the end.
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
  std::vector<Placed> here_;  // spans of the thread whose memory events are placed now
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
  ProcessId home_;    // the process with the most spans
  ProcessId latest_;  // process of the last host event
  // Numbers of those whose next host event is known.
  size_t followed_work_ = 0, followed_syncs_ = 0;
  int64_t turns_ = 0;  // how often the process changes between consecutive host events
  int64_t host_processes_ = 0;
  std::map<ProcessId, StringId> groups_;
  UsualTimes usual_;
  int64_t first_ = 0, last_ = 0;
  std::optional<int64_t> realtime_of_zero_;
};

}  // namespace gprofx::importers
