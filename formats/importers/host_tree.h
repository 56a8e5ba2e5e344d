// Makes call paths from the spans of one thread, as tracers write them. A span within another was
// called by it.
//
// At each moment, the time belongs to the innermost span. The self times of all spans therefore add
// up exactly to the length of the union of the outermost ones. Tracers with clocks of whole
// microseconds write calls that end after the call in which they began. Such a call is cut at the
// end of the outer one, and the time cut off is counted. Ranges, in contrast, overlap calls by
// nature. A range that begins within a call and ends after it is not part of that call. From the
// begin of the range on, the calls that end before it are within the range, and nothing is cut. A
// call that ends after a range continues outside of it.
//
// The work is bounded. Spans nested more than a thousand deep are cut like calls. Once ranges have
// moved too many nodes, all spans are cut like calls; ranges that are open then stay open until all
// spans within them have ended. Such spans are counted. Pure; one thread.
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

// Called when a span begins, with the span, the nodes of its caller and of the span itself, and its
// end after cutting.
using PlacedSpan = std::function<void(const HostSpan&, NodeId caller, NodeId own, int64_t end)>;

// Returns the node below which to place a span: `caller`, or a node that the callback adds below
// it.
using CallerOf = std::function<NodeId(const HostSpan&, NodeId caller)>;

// Adds the nodes and self times of the spans to `profile`, and calls `placed` for each, in the
// order of calls. Once the profile has `most_nodes` nodes, further spans get no node, and their
// time counts for the span around them.
CutSpans PlaceSpans(const SpanStore& spans, ThreadId thread, MetricId metric, size_t most_nodes,
                    Profile& profile, const CallerOf& caller_of, const PlacedSpan& placed);

}  // namespace gprofx::importers
