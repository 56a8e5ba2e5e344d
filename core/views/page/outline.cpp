#include "core/views/page/outline.h"

#include <algorithm>
#include <queue>

#include "core/base/arithmetic.h"

namespace gprofx {
namespace {

class Outliner {
 public:
  // If `joins` is true, a chain also continues through a node with side branches, provided that one
  // child keeps most of the chain's time.
  Outliner(const CallTree& tree, bool joins)
      : tree_(tree), children_(ChildrenOf(tree)), joins_(joins) {
    for (size_t i = 0; i < tree.nodes.size(); ++i) {
      std::sort(children_.list.begin() + children_.begin[i],
                children_.list.begin() + children_.begin[i + 1],
                [&](uint32_t a, uint32_t b) { return Before(a, b); });
    }
  }

  std::vector<OutlineLine> Make(size_t budget, int64_t smallest) {
    Open(0, 0, 0, false);
    while (!waiting_.empty() && lines_.size() <= budget) {
      const Candidate next = waiting_.top();
      if (tree_.nodes[next.node].total < smallest) break;
      waiting_.pop();
      Open(next.node, next.line, lines_[next.line].depth + 1, true);
    }
    for (; !waiting_.empty(); waiting_.pop()) {
      Elide(lines_[waiting_.top().line], tree_.nodes[waiting_.top().node].total);
    }
    return InReadingOrder();
  }

 private:
  struct Candidate {
    int64_t total;
    uint32_t node, line;
    bool operator<(const Candidate& other) const {
      return total != other.total ? total < other.total : node > other.node;
    }
  };

  bool Before(uint32_t a, uint32_t b) const {
    const int64_t ta = tree_.nodes[a].total, tb = tree_.nodes[b].total;
    return ta != tb ? ta > tb : a < b;
  }

  static void Elide(OutlineLine& line, int64_t total) {
    if (total == 0) return;  // a filter removed its time
    ++line.elided;
    line.elided_total = AddSaturated(line.elided_total, total);
  }

  // True if the chain continues with the first child of `node`. `whole` is the time of the first
  // node of the chain.
  bool GoesOn(uint32_t node, int64_t whole) const {
    const uint32_t begin = children_.begin[node], end = children_.begin[node + 1];
    if (begin == end) return false;
    if (joins_ && IsMost(tree_.nodes[children_.list[begin]].total, whole)) return true;
    // A filter may leave children without any time, which do not end a chain.
    const bool alone = end - begin == 1 || tree_.nodes[children_.list[begin + 1]].total == 0;
    return tree_.nodes[node].self == 0 && alone;
  }

  static bool IsMost(int64_t part, int64_t whole) {
    constexpr double kMost = 0.95;
    return whole > 0 && static_cast<double>(part) >= kMost * static_cast<double>(whole);
  }

  void Open(uint32_t node, uint32_t parent_line, int depth, bool fold) {
    OutlineLine line;
    line.parent = parent_line;
    line.depth = depth;
    line.total = tree_.nodes[node].total;
    line.chain.push_back(node);
    line.rank = lines_.size();
    while (fold && GoesOn(node, line.total)) {
      line.self = AddSaturated(line.self, tree_.nodes[node].self);
      for (uint32_t i = children_.begin[node] + 1; i < children_.begin[node + 1]; ++i)
        Elide(line, tree_.nodes[children_.list[i]].total);
      node = children_.list[children_.begin[node]];
      line.chain.push_back(node);
    }
    line.self = AddSaturated(line.self, tree_.nodes[node].self);
    const auto index = static_cast<uint32_t>(lines_.size());
    for (uint32_t i = children_.begin[node]; i < children_.begin[node + 1]; ++i) {
      const uint32_t child = children_.list[i];
      waiting_.push({tree_.nodes[child].total, child, index});
    }
    lines_.push_back(std::move(line));
  }

  // Returns the lines in reading order. Lines were chosen largest first, so parents precede their
  // children and larger siblings precede smaller ones.
  std::vector<OutlineLine> InReadingOrder() {
    std::vector<std::vector<uint32_t>> below(lines_.size());
    for (uint32_t i = 1; i < lines_.size(); ++i) below[lines_[i].parent].push_back(i);
    std::vector<OutlineLine> ordered;
    ordered.reserve(lines_.size());
    struct Step {
      uint32_t line, new_parent;
    };
    std::vector<Step> stack = {{0, 0}};
    while (!stack.empty()) {
      const Step step = stack.back();
      stack.pop_back();
      const auto position = static_cast<uint32_t>(ordered.size());
      ordered.push_back(std::move(lines_[step.line]));
      ordered.back().parent = step.new_parent;
      for (auto child = below[step.line].rbegin(); child != below[step.line].rend(); ++child) {
        stack.push_back({*child, position});
      }
    }
    return ordered;
  }

  const CallTree& tree_;
  ChildTable children_;
  const bool joins_;
  std::vector<OutlineLine> lines_;
  std::priority_queue<Candidate> waiting_;
};

}  // namespace

std::vector<OutlineLine> Shortened(const std::vector<OutlineLine>& lines, size_t budget) {
  std::vector<OutlineLine> kept;
  std::vector<uint32_t> place(lines.size());  // by line: its position in `kept` if it is kept
  for (size_t i = 0; i < lines.size(); ++i) {
    const OutlineLine& line = lines[i];
    const uint32_t parent = i == 0 ? 0 : place[line.parent];
    if (line.rank <= budget) {
      place[i] = static_cast<uint32_t>(kept.size());
      kept.push_back(line);
      kept.back().parent = parent;
    } else if (lines[line.parent].rank <= budget) {
      ++kept[parent].elided;
      kept[parent].elided_total = AddSaturated(kept[parent].elided_total, line.total);
    }
  }
  return kept;
}

std::vector<OutlineLine> MakeOutline(const CallTree& tree, size_t budget, int64_t smallest) {
  return Outliner(tree, smallest > 1).Make(budget, std::max<int64_t>(smallest, 1));
}

}  // namespace gprofx
