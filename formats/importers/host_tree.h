// Turns the spans of one thread, as a tracer writes them, into call paths: a span within another
// was called by it.
//
// At each moment, the time belongs to the innermost span. So the self times of all spans add up to
// the union of the outermost ones, to the nanosecond. A call may outlast the call in which it
// began, because of clocks of whole microseconds. Such a call is cut at the end of the outer one,
// and the amount cut is counted. Ranges overlap calls by nature: a range that begins within a short
// call and outlasts it is no part of that call. It lies outside of all calls that end before it,
// and nothing is cut: from its begin on, those calls are within it. A call that outlasts a range
// goes on without it.
//
// Work is bounded: spans more than a thousand deep are cut like calls, and so are all spans once
// those that ranges move have cost too many nodes. Ranges that are open then stay open until what
// is within them has ended. Such spans are counted. Pure; one thread.
#pragma once

#include <cstdint>
#include <functional>

#include "core/model/profile.h"
#include "formats/importers/gather/host_span.h"
#include "formats/importers/gather/span_store.h"

namespace gprofx::importers {

struct CutSpans {
  int64_t spans = 0, ns = 0;
  int64_t without_node = 0;  // spans for which the profile had no room
  int64_t unfollowed = 0;    // ranges that were handled like calls to bound the work
};

// Receives a span, the nodes of its caller and of itself as it begins, and its end after cutting.
using PlacedSpan = std::function<void(const HostSpan&, NodeId caller, NodeId own, int64_t end)>;

// Returns the node to place a span under: its caller, or a node below the caller if the callback
// inserts some.
using CallerOf = std::function<NodeId(const HostSpan&, NodeId caller)>;

// Adds the nodes and self times of the spans to `profile`, and calls `placed` for each, in the
// order of calls. Once the profile has `most_nodes` nodes, spans get no more nodes, and their time
// counts for the span around them.
CutSpans PlaceSpans(const SpanStore& spans, ThreadId thread, MetricId metric, size_t most_nodes,
                    Profile& profile, const CallerOf& caller_of, const PlacedSpan& placed);

}  // namespace gprofx::importers
