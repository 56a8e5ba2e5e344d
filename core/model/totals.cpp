#include "core/model/totals.h"

#include "core/base/arithmetic.h"

namespace gprofx {

std::vector<int64_t> SelfByNode(const Profile& profile, MetricId metric, ThreadId thread) {
  std::vector<int64_t> self(profile.nodes.size());
  for (const Value& value : profile.values) {
    if (value.metric != metric || (thread && value.thread != thread)) continue;
    int64_t& sum = self[value.node.index()];
    sum = AddSaturated(sum, value.self);
  }
  return self;
}

std::vector<int64_t> InclusiveByNode(const Profile& profile, std::span<const int64_t> self) {
  std::vector<int64_t> inclusive(self.begin(), self.end());
  // Parents come before their children, so one backward pass adds each subtree to its parent.
  for (size_t i = profile.nodes.size(); i-- > 1;) {
    int64_t& above = inclusive[profile.nodes[i].parent.index()];
    above = AddSaturated(above, inclusive[i]);
  }
  return inclusive;
}

}  // namespace gprofx
