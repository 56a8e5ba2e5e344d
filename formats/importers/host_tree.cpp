#include "formats/importers/host_tree.h"

#include <algorithm>
#include <vector>

namespace gprofx::importers {
namespace {

struct Open {
  int64_t end = 0;
  NodeId node;
};

// Outer spans sort before inner ones. If two begin together, the longer one is outside. If they are
// equal, a call is inside a span that is not a call; otherwise the order of the trace decides.
bool IsOutside(const HostSpan& a, const HostSpan& b) {
  if (a.start != b.start) return a.start < b.start;
  if (a.duration != b.duration) return a.duration > b.duration;
  return (a.correlation == 0) > (b.correlation == 0);
}

}  // namespace

CutSpans PlaceSpans(std::deque<HostSpan>& spans, ThreadId thread, MetricId metric,
                    size_t most_nodes, Profile& profile, const CallerOf& caller_of,
                    const PlacedSpan& placed) {
  if (!std::is_sorted(spans.begin(), spans.end(), IsOutside)) {
    std::stable_sort(spans.begin(), spans.end(), IsOutside);
  }
  CutSpans cut;
  std::vector<Open> open;
  for (const HostSpan& span : spans) {
    while (!open.empty() && open.back().end <= span.start) open.pop_back();
    int64_t end = span.start + span.duration;
    if (!open.empty() && end > open.back().end) {
      ++cut.spans;
      cut.ns += end - open.back().end;
      end = open.back().end;
    }
    const NodeId caller = open.empty() ? profile.root() : open.back().node;
    const bool room = profile.nodes.size() < most_nodes;
    const NodeId own = room ? profile.Child(caller_of(span, caller), span.frame) : caller;
    if (const int64_t ns = end - span.start; ns > 0) {
      profile.AddSelf(own, thread, metric, ns);
      if (!open.empty()) profile.AddSelf(caller, thread, metric, -ns);
    }
    open.push_back({end, own});
    placed(span, caller, own, end);
  }
  return cut;
}

}  // namespace gprofx::importers
