// Spans of one thread, as a tracer writes them, to call paths: what lies within another is called
// by it.
//
// At each moment the innermost span has the time, so that the self times of all spans are the union
// of the outermost ones, to the nanosecond. A span that outlasts the one that it began in (clocks
// of whole microseconds do that) ends with it; how much was cut off is counted. Pure; one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>

#include "core/model/profile.h"

namespace gprofx::importers {

struct HostSpan {
  int64_t start = 0, duration = 0;  // ns of the trace's own clock
  FrameId frame;
  uint32_t correlation = 0;  // of a call that puts work on a GPU; 0 = none
  // Of autograd: what a node of a backward pass has in common with its operator; -1 = none.
  int64_t sequence = -1;
  uint32_t forward_thread = 0;  // of backward work: where its operator ran, as the profiler counts
  uint32_t work = 0;            // of TraceGather::AddWorkOf; 0 = unknown
  bool is_backward = false;
};

struct CutSpans {
  int64_t spans = 0, ns = 0;
};

// A span with its place: the node of its caller and its own, and the end that counts.
using PlacedSpan = std::function<void(const HostSpan&, NodeId caller, NodeId own, int64_t end)>;

// The node below which a span belongs, which is its caller or below it: for who puts something
// between.
using CallerOf = std::function<NodeId(const HostSpan&, NodeId caller)>;

// Sorts the spans. `most_nodes`: beyond so many nodes of the profile deeper spans count for the one
// that they lie in.
CutSpans PlaceSpans(std::deque<HostSpan>& spans, ThreadId thread, MetricId metric,
                    size_t most_nodes, Profile& profile, const CallerOf& caller_of,
                    const PlacedSpan& placed);

}  // namespace gprofx::importers
