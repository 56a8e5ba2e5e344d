#include "formats/importers/host_tree.h"

#include <algorithm>
#include <set>
#include <vector>

namespace gprofx::importers {
namespace {

// Maximum depth at which ranges that overlap calls are handled exactly. A deeper span of any kind
// is cut at the end of the span around it: otherwise the run time could grow with the square of the
// depth.
constexpr size_t kDeepest = 1000;

// Maximum number of nodes that ranges may move: kMoves, plus kMovesPerSpan per span. Traces of real
// programs need less than one per span.
constexpr size_t kMovesPerSpan = 100, kMoves = 1000;

struct Open {
  int64_t end = 0;
  NodeId caller, node;  // `caller` may be above the parent of `node`, see CallerOf
  bool is_range = false, has_node = true;
};

// The open spans of a thread at one moment, outermost first.
class Stack {
 public:
  Stack(Profile& profile, ThreadId thread, MetricId metric, size_t most_nodes, size_t moves)
      : profile_(profile),
        thread_(thread),
        metric_(metric),
        most_nodes_(most_nodes),
        moves_(moves) {}

  // Closes the spans that end at or before `time`. Without ranges, they end from the innermost one
  // outwards.
  void AdvanceTo(int64_t time) {
    while (!open_.empty()) {
      const size_t first = FirstToEnd();
      if (open_[first].end > time) break;
      Account(open_[first].end);
      Close(first);
    }
    Account(time);
  }

  // Returns the position in open_ at which to insert a span that ends at `end`. Only a range is
  // inserted below other spans: those that end before it.
  size_t PlaceOf(const HostSpan& span, int64_t end) const {
    size_t place = open_.size();
    while (span.is_range && place > 0 && open_[place - 1].end < end) --place;
    return place;
  }

  // Returns the end of a span after cutting: a call ends at the latest with the call around it.
  int64_t EndOf(const HostSpan& span) const {
    const int64_t end = span.start + span.duration;
    if (open_.empty()) return end;
    if (!follows_ranges()) return std::min(end, open_.back().end);
    if (span.is_range) return end;
    const auto call = std::find_if(open_.rbegin(), open_.rend(),
                                   [](const Open& outer) { return !outer.is_range; });
    return call == open_.rend() ? end : std::min(end, call->end);
  }

  NodeId NodeBelow(size_t place) const {
    return place == 0 ? profile_.root() : open_[place - 1].node;
  }

  bool has_room() const { return profile_.nodes.size() < most_nodes_; }
  bool follows_ranges() const { return open_.size() < kDeepest && moves_ > 0; }
  int64_t without_node() const { return without_node_; }
  int64_t extended() const { return extended_; }

  void Insert(size_t place, const Open& span) {
    without_node_ += span.has_node ? 0 : 1;
    open_.insert(open_.begin() + static_cast<std::ptrdiff_t>(place), span);
    if (span.is_range) range_ends_.insert(span.end);
    Move(place + 1);
  }

 private:
  // Returns the position of the open span that ends first. It is the innermost span or a range: a
  // call may end after the ranges around it, but any other span ends before the span around it.
  size_t FirstToEnd() const {
    const size_t top = open_.size() - 1;
    if (range_ends_.empty() || *range_ends_.begin() >= open_.back().end) return top;
    if (moves_ == 0) return top;
    size_t place = std::min(top, kDeepest);
    while (place > 0 && !(open_[place].is_range && open_[place].end == *range_ends_.begin())) {
      --place;
    }
    return place;
  }

  void Account(int64_t time) {
    const int64_t ns = time - time_;
    if (ns > 0 && !open_.empty()) profile_.AddSelf(open_.back().node, thread_, metric_, ns);
    time_ = std::max(time_, time);
  }

  void Close(size_t place) {
    if (open_[place].is_range) {
      range_ends_.erase(range_ends_.find(open_[place].end));
      extended_ += time_ > open_[place].end ? 1 : 0;
    }
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(place));
    Move(place);
  }

  // Gives new nodes to the spans from position `place` on, because the spans around them have
  // changed.
  void Move(size_t place) {
    for (; place < std::min(open_.size(), kDeepest) && moves_ > 0; ++place) {
      MoveTo(NodeBelow(place), open_[place]);
    }
  }

  void MoveTo(NodeId caller, Open& span) {
    std::vector<FrameId> path;
    for (NodeId node = span.node; node != span.caller; node = profile_.node(node).parent) {
      path.push_back(profile_.node(node).frame);
    }
    moves_ -= std::min(moves_, path.size() + 1);
    span.caller = span.node = caller;
    for (auto frame = path.rbegin(); frame != path.rend() && has_room(); ++frame) {
      span.node = profile_.Child(span.node, *frame);
    }
    if (has_room() || !span.has_node) return;
    span.has_node = false;
    ++without_node_;
  }

  Profile& profile_;
  ThreadId thread_;
  MetricId metric_;
  size_t most_nodes_, moves_;
  int64_t without_node_ = 0, extended_ = 0;
  std::vector<Open> open_;
  std::multiset<int64_t> range_ends_;  // ends of the ranges in open_
  int64_t time_ = 0;
};

}  // namespace

CutSpans PlaceSpans(const SpanStore& spans, ThreadId thread, MetricId metric, size_t most_nodes,
                    Profile& profile, const CallerOf& caller_of, const PlacedSpan& placed) {
  CutSpans cut;
  Stack stack(profile, thread, metric, most_nodes, kMoves + kMovesPerSpan * spans.size());
  spans.ForSorted([&](const HostSpan& span) {
    stack.AdvanceTo(span.start);
    const int64_t end = stack.EndOf(span), cut_ns = span.start + span.duration - end;
    cut.spans += cut_ns > 0 ? 1 : 0;
    cut.ns += cut_ns;
    cut.unfollowed += cut_ns > 0 && span.is_range ? 1 : 0;
    const size_t place = stack.PlaceOf(span, end);
    const NodeId caller = stack.NodeBelow(place);
    const bool has_room = stack.has_room();
    const NodeId own = has_room ? profile.Child(caller_of(span, caller), span.frame) : caller;
    stack.Insert(place, {end, caller, own, span.is_range, has_room});
    placed(span, caller, own, end);
  });
  if (!spans.empty()) stack.AdvanceTo(INT64_MAX);
  cut.without_node = stack.without_node();
  cut.unfollowed += stack.extended();
  return cut;
}

}  // namespace gprofx::importers
