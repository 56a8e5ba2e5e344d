// Makes the timeline of a process: its calls, and the work that they put on its GPUs, in order of
// time. The timeline is the input of a replay. Used inside core/findings only.
//
// All threads that put work on a GPU count as one host, because autograd's thread launches while
// the main thread waits for it. The time between two calls of the host is called host time. All
// intervals between calls of the same two call paths form a class. A class has samples even if a
// single interval is shorter than the sampling period. If steps are known, the timeline reaches
// from the first to the last shown step, without pauses between them. If the steps have too much
// work, only those in the middle count. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "core/analyses/analyses.h"
#include "core/events/finding_events.h"
#include "core/model/profile.h"
#include "core/steps/phases.h"

namespace gprofx::findings {

struct LineOp {  // an operation on a GPU
  HostNs launch = 0, start = 0, end = 0;
  NodeId node;
  uint32_t source = 0;  // index in GpuWorkEvents::operations
  uint32_t stream = 0;  // number within this timeline, from 0
  uint32_t call = 0;    // index in `calls` of the launching call
  CopyMemory copy;
  bool is_copy = false, is_kernel = false, communication = false;
  int64_t bytes = 0;
  GpuConfigId config;  // set for kernels
  int64_t duration() const { return end - start; }
};

struct LineCall {
  HostNs begin = 0, end = 0;
  ThreadId thread;
  NodeId node;    // for a launch: node of its first operation
  StringId name;  // driver function; set if the recording has a row for the call
  uint32_t first_op = 0, ops = 0;
  bool waits = false;   // waits for the GPU
  bool memory = false;  // allocates or frees GPU memory
  // Host time since the previous call: its begin and length. Samples describe it, and a replay may
  // shorten it.
  HostNs before_begin = 0;
  int64_t before_ns = 0;
  uint32_t before_class = 0;  // index in `classes`
  bool first_of_segment = false;

  // True if its duration is known.
  bool TakesTime() const { return name || ops == 0 || end > begin; }
};

// Host time between calls of the same two call paths, summed over all intervals.
struct HostClassTimes {
  int64_t ns = 0, count = 0;
  NodeId after, before;  // `after` is the call before the host time, `before` the call after it
  int64_t mean() const { return count == 0 ? 0 : ns / count; }
};

struct TimeLine {
  ProcessId process;
  std::vector<LineCall> calls;  // in order of time
  std::vector<LineOp> ops;      // in the order of their launches
  std::vector<HostClassTimes> classes;
  // Indices of calls, sorted by class. The calls of class c begin at by_class[first_of_class[c]]
  // and end before by_class[first_of_class[c + 1]].
  std::vector<uint32_t> by_class, first_of_class;
  std::vector<TimeRange> segments;  // the analysed ranges, in order
  uint32_t streams = 0;
  int64_t length_ns = 0;  // sum of all segments
  int64_t busy_ns = 0;    // time in which some operation ran on any device
  int64_t steps = 0;      // number of steps in the segments; 0 = none found
  int64_t step_ns = 0;    // mean length on the host

  HostNs EndOfSegment(HostNs time) const;  // end of the segment that contains `time`
};

// Makes the timeline of the shown range. The process is the one whose steps are shown if it uses a
// GPU, otherwise the one with the most GPU time.
TimeLine MakeTimeLine(const analyses::AnalysisContext& context, const FindingEvents& events);

}  // namespace gprofx::findings
