// Computes the self and inclusive values of nodes from the rows of a profile.
//
// Pure; linear in nodes and values. Units are those of the metric. Sums saturate.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

// Returns the self value of each node in `metric`, by NodeId::index(). Counts all threads if
// `thread` is 0.
std::vector<int64_t> SelfByNode(const Profile& profile, MetricId metric, ThreadId thread = {});

// Returns each node's self value plus those of all its descendants. Element 0 is the root, whose
// value is the total of the metric.
std::vector<int64_t> InclusiveByNode(const Profile& profile, std::span<const int64_t> self);

}  // namespace gprofx
