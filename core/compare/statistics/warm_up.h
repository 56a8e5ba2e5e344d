// Finds how many of the first pairs of a job are still warming up, because caches fill or a clock
// frequency falls.
//
// Uses only the total time of a pair, never the difference of its runs, so dropping pairs cannot
// favour one side. A pair is warming up if it differs from later pairs by more than they differ
// from each other, and by more than a machine normally varies. Pure.
#pragma once

#include <cstddef>
#include <span>

namespace gprofx::compare {

// `base` and `head` are the times of the pairs in measurement order. Returns at most a third of the
// pairs, and always leaves at least three.
size_t WarmUpPairs(std::span<const double> base, std::span<const double> head);

}  // namespace gprofx::compare
