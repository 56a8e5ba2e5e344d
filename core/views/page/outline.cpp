#include "core/views/page/outline.h"

#include <algorithm>
#include <queue>

#include "core/base/arithmetic.h"

namespace gprofx {
namespace {

class Outliner {
 public:
  explicit Outliner(const CallTree& tree) : tree_(tree), children_(ChildrenOf(tree)) {
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
      OutlineLine& line = lines_[waiting_.top().line];
      const int64_t total = tree_.nodes[waiting_.top().node].total;
      if (total == 0) continue;  // filtered out, not elided
      ++line.elided;
      line.elided_total = AddSaturated(line.elided_total, total);
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

  void Open(uint32_t node, uint32_t parent_line, int depth, bool fold) {
    OutlineLine line;
    line.parent = parent_line;
    line.depth = depth;
    line.total = tree_.nodes[node].total;
    line.chain.push_back(node);
    while (fold && tree_.nodes[node].self == 0) {
      const uint32_t begin = children_.begin[node], end = children_.begin[node + 1];
      if (begin == end) break;
      // Children without any time do not break a chain. A filter removed their time.
      if (end - begin > 1 && tree_.nodes[children_.list[begin + 1]].total != 0) break;
      node = children_.list[begin];
      line.chain.push_back(node);
    }
    line.self = tree_.nodes[node].self;
    const auto index = static_cast<uint32_t>(lines_.size());
    for (uint32_t i = children_.begin[node]; i < children_.begin[node + 1]; ++i) {
      const uint32_t child = children_.list[i];
      waiting_.push({tree_.nodes[child].total, child, index});
    }
    lines_.push_back(std::move(line));
  }

  // Lines were opened best first, so parents precede their children and larger siblings precede
  // smaller ones.
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
  std::vector<OutlineLine> lines_;
  std::priority_queue<Candidate> waiting_;
};

}  // namespace

std::vector<OutlineLine> MakeOutline(const CallTree& tree, size_t budget, int64_t smallest) {
  return Outliner(tree).Make(budget, std::max<int64_t>(smallest, 1));
}

}  // namespace gprofx
