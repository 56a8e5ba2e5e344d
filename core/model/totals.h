// Computes the self and inclusive values of nodes from the rows of a profile.
//
// Pure; linear in nodes and values. Units are those of the metric. Sums saturate.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

// Returns the self value of each node in `metric`, by NodeId::index(). If `thread` is 0, sums over
// all threads.
std::vector<int64_t> SelfByNode(const Profile& profile, MetricId metric, ThreadId thread = {});

// Returns the inclusive value of each node, by NodeId::index(), from the self values `self`.
// Element 0 is the root, whose value is the total of the metric.
std::vector<int64_t> InclusiveByNode(const Profile& profile, std::span<const int64_t> self);

}  // namespace gprofx
