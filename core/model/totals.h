// Derived numbers of a profile: self and inclusive values per node.
//
// Pure functions, linear in nodes and values. Units are those of the metric. Sums saturate.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

// Returns the self value of each node (NodeId::index()) in `metric`, of one thread, or of all if
// thread is 0.
std::vector<int64_t> SelfByNode(const Profile& profile, MetricId metric, ThreadId thread = {});

// Returns self plus all descendants, per node. Element 0 is the root: the total of the metric.
std::vector<int64_t> InclusiveByNode(const Profile& profile, std::span<const int64_t> self);

}  // namespace gprofx
