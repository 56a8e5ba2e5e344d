// Finds functions, kernels and other parts of a program (compare::Part) that were renamed between
// two versions. Matches parts that only the base has with parts that only the head has. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "core/compare/diff.h"

namespace gprofx::compare {

// Returns pairs of indices: a new part and the gone part that it most likely was. Both have the
// same kind, file and module and about the same self time. Each part is in at most one pair; parts
// with the most time are matched first. `self` holds the self times in the order of `changes`.
// Change::fate must be set.
std::vector<std::pair<size_t, size_t>> FindRenamed(std::span<const Change> changes,
                                                   std::span<const Series> self);

}  // namespace gprofx::compare
