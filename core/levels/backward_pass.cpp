#include "core/levels/backward_pass.h"

#include <algorithm>
#include <map>
#include <optional>

namespace gprofx {
namespace {

struct Pair {
  size_t backward = 0, forward = 0;
};

// Indices in a pass of the calls with one name.
using Positions = std::vector<size_t>;

// `forward` holds positions. Returns for each the length of the longest decreasing subsequence that
// ends at it.
std::vector<size_t> LongestTo(const std::vector<size_t>& forward) {
  // Element n of `lowest` is the highest last element of a subsequence of length n + 1.
  std::vector<size_t> lengths, lowest;
  for (const size_t position : forward) {
    const auto at = std::partition_point(lowest.begin(), lowest.end(),
                                         [&](size_t end) { return end > position; });
    lengths.push_back(static_cast<size_t>(at - lowest.begin()) + 1);
    if (at == lowest.end()) {
      lowest.push_back(position);
    } else {
      *at = position;
    }
  }
  return lengths;
}

// Returns the pairs whose order is proven. If a sequence of pairs is ascending in backward order,
// its forward order must be descending. Finds the longest such sequences, and returns the pairs
// that all of them contain. If two pairs contradict each other and equally many others agree with
// each, neither is proven.
std::vector<Pair> InReverseOrder(std::vector<Pair> pairs) {
  std::sort(pairs.begin(), pairs.end(),
            [](const Pair& a, const Pair& b) { return a.backward < b.backward; });
  std::vector<size_t> forward, mirrored;
  for (const Pair& pair : pairs) forward.push_back(pair.forward);
  const size_t high = forward.empty() ? 0 : *std::max_element(forward.begin(), forward.end());
  for (auto at = forward.rbegin(); at != forward.rend(); ++at) mirrored.push_back(high - *at);
  const std::vector<size_t> to = LongestTo(forward);
  std::vector<size_t> from = LongestTo(mirrored);
  std::reverse(from.begin(), from.end());
  const size_t longest = to.empty() ? 0 : *std::max_element(to.begin(), to.end());
  std::vector<size_t> of_rank(longest + 1);
  const auto lies_in_one = [&](size_t i) { return to[i] + from[i] == longest + 1; };
  for (size_t i = 0; i < pairs.size(); ++i) of_rank[to[i]] += lies_in_one(i);
  std::vector<Pair> out;
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (lies_in_one(i) && of_rank[to[i]] == 1) out.push_back(pairs[i]);
  }
  return out;
}

class PassJoiner {
 public:
  PassJoiner(const Levels& levels, BackwardPass& pass)
      : levels_(levels),
        pass_(pass),
        nodes_before_(1),
        forward_of_(pass.backward.size()),
        tried_(pass.backward.size()) {
    for (const BackwardCall& call : pass.backward) {
      nodes_before_.push_back(nodes_before_.back() + (call.follows ? 0 : 1));
    }
  }

  void Join() {
    const Gap all{0, pass_.backward.size(), 0, pass_.forward.size()};
    const std::vector<Pair> anchors = JoinByName(all);
    Gap gap = all;
    for (const Pair& anchor : anchors) {
      gap.backward_end = anchor.backward;
      gap.forward_begin = anchor.forward + 1;
      JoinInGap(gap);
      gap.backward_begin = anchor.backward + 1;
      gap.forward_end = anchor.forward;
    }
    gap.backward_end = all.backward_end;
    gap.forward_begin = 0;
    JoinInGap(gap);
    FillGaps();
  }

 private:
  // A range of backward calls and the range of forward calls to which they may belong, as indices.
  struct Gap {
    size_t backward_begin = 0, backward_end = 0, forward_begin = 0, forward_end = 0;
  };
  using ByName = std::map<uint32_t, Positions>;

  ByName BackwardIn(const Gap& gap) const {
    ByName out;
    for (size_t i = gap.backward_begin; i < gap.backward_end; ++i) {
      const BackwardCall& call = pass_.backward[i];
      if (call.name != 0 && !call.joined.known) out[call.name].push_back(i);
    }
    return out;
  }

  ByName ForwardIn(const Gap& gap, const ByName& names) const {
    ByName out;
    for (size_t i = gap.forward_begin; i < gap.forward_end; ++i) {
      const uint32_t name = pass_.forward[i].name;
      if (names.contains(name)) out[name].push_back(i);
    }
    return out;
  }

  bool InOneLayer(const Positions& forward) const {
    return std::all_of(forward.begin(), forward.end(), [&](size_t i) {
      return pass_.forward[i].path == pass_.forward[forward.front()].path;
    });
  }

  // True if the calls of `backward` may belong to exactly the calls of `forward`. One forward call
  // may appear as several backward calls with no other node in between. If there are more such
  // groups than forward calls, some belong to layers whose forward calls were not recorded.
  bool MayBeAll(const Positions& backward, const Positions& forward) const {
    size_t runs = 1;
    for (size_t i = 1; i < backward.size(); ++i) {
      runs += nodes_before_[backward[i]] > nodes_before_[backward[i - 1] + 1];
    }
    return runs <= forward.size();
  }

  void Set(size_t backward, size_t forward) {
    const ForwardCall& of = pass_.forward[forward];
    pass_.backward[backward].joined = {true, of.path, of.node};
  }

  // Joins the calls in the gap by name (core/levels/backward_pass.h). Returns the pairs that it
  // joined one to one, in the order of the backward pass.
  std::vector<Pair> JoinByName(const Gap& gap) {
    const ByName backward = BackwardIn(gap), forward = ForwardIn(gap, backward);
    std::vector<Pair> pairs;
    for (const auto& [name, calls] : backward) {
      const auto found = forward.find(name);
      if (found == forward.end()) continue;
      const Positions& of = found->second;
      if (of.size() == calls.size()) {
        for (size_t i = 0; i < calls.size(); ++i)
          pairs.push_back({calls[i], of[of.size() - 1 - i]});
      } else if (InOneLayer(of) && MayBeAll(calls, of)) {
        for (const size_t call : calls) Set(call, of.front());
      }
    }
    // Equal numbers of calls may be a coincidence. Keep only pairs whose order is proven.
    pairs = InReverseOrder(std::move(pairs));
    for (const Pair& pair : pairs) {
      Set(pair.backward, pair.forward);
      forward_of_[pair.backward] = pair.forward;
    }
    return pairs;
  }

  uint32_t AroundAll(const Positions& forward) const {
    uint32_t around = pass_.forward[forward.front()].path;
    for (const size_t i : forward) around = PathAround(levels_, around, pass_.forward[i].path);
    return around;
  }

  void JoinInGap(const Gap& gap) {
    if (gap.backward_begin >= gap.backward_end) return;
    const ByName open = BackwardIn(gap);
    if (open.empty()) return;
    JoinByName(gap);
    // Each of the two joined calls at the sides of the gap may appear as two calls, one of them in
    // the gap. Include their forward calls.
    Gap with_sides = gap;
    with_sides.forward_begin -= gap.forward_begin > 0 ? 1 : 0;
    with_sides.forward_end = std::min(gap.forward_end + 1, pass_.forward.size());
    const ByName forward = ForwardIn(with_sides, open);
    for (const auto& [name, calls] : open) {
      const auto found = forward.find(name);
      if (found == forward.end() || !MayBeAll(calls, found->second)) continue;
      const uint32_t around = AroundAll(found->second);
      for (const size_t i : calls) {
        if (pass_.backward[i].joined.known) continue;
        pass_.backward[i].joined.path = around;
        tried_[i] = true;
      }
    }
  }

  // Returns the innermost path that contains all forward calls between those of the backward calls
  // `before` and `after`. Returns 0 if there is none, or if one of the two forward calls is
  // unknown.
  uint32_t AroundBetween(size_t before, size_t after) const {
    if (!forward_of_[before] || !forward_of_[after]) return 0;
    uint32_t around =
        PathAround(levels_, pass_.backward[before].joined.path, pass_.backward[after].joined.path);
    for (size_t i = *forward_of_[after]; i < *forward_of_[before] && around != 0; ++i) {
      around = PathAround(levels_, around, pass_.forward[i].path);
    }
    return around;
  }

  void FillGaps() {
    std::vector<BackwardCall>& calls = pass_.backward;
    size_t last = calls.size();  // index of the previous known call
    for (size_t i = 0; i < calls.size();) {
      if (calls[i].joined.known) {
        last = i++;
        continue;
      }
      size_t next = i;
      while (next < calls.size() && !calls[next].joined.known) ++next;
      const bool between = last < calls.size() && next < calls.size();
      const uint32_t around = between ? AroundBetween(last, next) : 0;
      for (; i < next; ++i) {
        JoinedCall& joined = calls[i].joined;
        if (calls[i].follows) {
          if (calls[i].before) joined = calls[*calls[i].before].joined;
          joined.known = false;
        } else if (!tried_[i]) {
          joined.path = around;
        }
      }
    }
  }

  const Levels& levels_;
  BackwardPass& pass_;
  std::vector<size_t> nodes_before_;  // by backward call: number of nodes before it
  // By backward call: index of the forward call with which it is joined.
  std::vector<std::optional<size_t>> forward_of_;
  // By backward call: true if its path contains all forward calls to which it may belong.
  std::vector<bool> tried_;
};

}  // namespace

uint32_t PathAround(const Levels& levels, uint32_t a, uint32_t b) {
  // Paths are created after their parents, so the larger id is not an ancestor of the other. Go up
  // from it.
  while (a != b) {
    uint32_t& inner = a > b ? a : b;
    inner = levels.paths[inner - 1].parent;
  }
  return a;
}

void JoinPass(const Levels& levels, BackwardPass& pass) { PassJoiner(levels, pass).Join(); }

}  // namespace gprofx
