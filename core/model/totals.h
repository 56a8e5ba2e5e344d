// Derived numbers of a profile: self and inclusive values per node.
//
// Pure functions, linear in nodes and values. Units are those of the metric. Sums saturate.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

// Self value of each node (NodeId::index()) in `metric`, of one thread or (thread 0) of all.
std::vector<int64_t> SelfByNode(const Profile& profile, MetricId metric, ThreadId thread = {});

// Self plus everything below, per node. The first element is the root's: the total of the metric.
std::vector<int64_t> InclusiveByNode(const Profile& profile, std::span<const int64_t> self);

}  // namespace gprofx
