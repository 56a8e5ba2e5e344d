// The calls of a process and the work that they put on its GPUs, in order of time: what a replay
// walks over. Used inside core/findings only.
//
// All threads that put work on a GPU count as one host: autograd's thread launches while the main
// thread waits for it. Between two calls lies host time; intervals between calls of the same two
// call paths are a class, so that samples tell what a host does even where an interval is shorter
// than the time between two samples. Where steps are known it reaches from the first to the last of
// those that are shown, without pauses between them. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "core/analyses/analyses.h"
#include "core/events/finding_events.h"
#include "core/model/profile.h"
#include "core/steps/phases.h"

namespace gprofx::findings {

struct LineOp {  // of a GPU
  HostNs launch = 0, start = 0, end = 0;
  NodeId node;
  uint32_t source = 0;  // of GpuWorkEvents::operations
  uint32_t stream = 0;  // from 0, of this time line
  uint32_t call = 0;    // its launch, of `calls`
  CopyMemory copy;
  bool is_copy = false, is_kernel = false, communication = false;
  int64_t bytes = 0;
  GpuConfigId config;  // of a kernel
  int64_t duration() const { return end - start; }
};

struct LineCall {
  HostNs begin = 0, end = 0;
  ThreadId thread;
  NodeId node;    // of the call; of a launch that of its first operation
  StringId name;  // of the driver's function, where it has a row of its own
  uint32_t first_op = 0, ops = 0;
  bool waits = false;   // for the GPU
  bool memory = false;  // hands GPU memory out, or takes it back
  // Host time before it, since the call before: what samples tell, and a replay may shorten.
  HostNs before_begin = 0;
  int64_t before_ns = 0;
  uint32_t before_class = 0;  // of `classes`
  bool first_of_segment = false;

  bool TakesTime() const { return name || ops == 0 || end > begin; }  // that is known
};

// Host time between calls of the same two call paths.
struct HostClassTimes {
  int64_t ns = 0, count = 0;
  NodeId after, before;  // the calls around it
  int64_t mean() const { return count == 0 ? 0 : ns / count; }
};

struct TimeLine {
  ProcessId process;
  std::vector<LineCall> calls;  // in order of their begins
  std::vector<LineOp> ops;      // in the order of their launches
  std::vector<HostClassTimes> classes;
  // Calls by class: those of class c are by_class[first_of_class[c]] up to first_of_class[c + 1].
  std::vector<uint32_t> by_class, first_of_class;
  std::vector<TimeRange> segments;  // in order: what is looked at in one go
  uint32_t streams = 0;
  int64_t length_ns = 0;  // of what is looked at: of all segments
  int64_t busy_ns = 0;    // the union of its operations, all devices
  int64_t steps = 0;      // in those; 0 = none were found
  int64_t step_ns = 0;    // mean, of the host

  HostNs EndOfSegment(HostNs time) const;  // in which `time` lies
};

// Of the process with most GPU time, in what is shown.
TimeLine MakeTimeLine(const analyses::AnalysisContext& context, const FindingEvents& events);

}  // namespace gprofx::findings
