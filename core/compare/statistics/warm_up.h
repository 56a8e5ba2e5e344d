// Finds how many of the first pairs of a job belong to the warm-up, in which caches fill or a clock
// frequency falls.
//
// Uses only the total time of a pair and never the difference of its runs. Dropping pairs therefore
// cannot favour one side. A pair belongs to the warm-up if it differs from later pairs by more than
// they differ from each other, and by more than a machine normally varies. Pure.
#pragma once

#include <cstddef>
#include <span>

namespace gprofx::compare {

// Returns the number of pairs to drop from the start. `base` and `head` are the times of the pairs
// in measurement order. At most a third of the pairs is dropped, and at least three remain.
size_t WarmUpPairs(std::span<const double> base, std::span<const double> head);

}  // namespace gprofx::compare
