// Turns the spans of one thread, as a tracer writes them, into call paths. A span within another
// was called by it.
//
// At each moment, the time belongs to the innermost span. The self times of all spans therefore add
// up to the union of the outermost ones, exactly. Tracers with clocks of whole microseconds write
// calls that end after the call in which they began. Such a call is cut at the end of the outer
// one, and the time cut off is counted. Ranges, in contrast, overlap calls by nature. A range that
// begins within a short call and outlasts it is not part of that call. It lies outside all calls
// that end before it, and nothing is cut: from its begin on, those calls are within it. A call that
// outlasts a range goes on without it.
//
// The work is bounded. Spans more than a thousand deep are cut like calls. So are all spans once
// ranges have moved too many nodes; ranges that are open then stay open until all spans within them
// have ended. Such spans are counted. Pure; one thread.
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

// Receives a span, the nodes of its caller and of the span itself when it begins, and its end after
// cutting.
using PlacedSpan = std::function<void(const HostSpan&, NodeId caller, NodeId own, int64_t end)>;

// Returns the node to place a span under: `caller`, or a node below it if the callback inserts
// some.
using CallerOf = std::function<NodeId(const HostSpan&, NodeId caller)>;

// Adds the nodes and self times of the spans to `profile`, and calls `placed` for each, in the
// order of calls. Once the profile has `most_nodes` nodes, spans get no more nodes. Their time then
// counts for the span around them.
CutSpans PlaceSpans(const SpanStore& spans, ThreadId thread, MetricId metric, size_t most_nodes,
                    Profile& profile, const CallerOf& caller_of, const PlacedSpan& placed);

}  // namespace gprofx::importers
