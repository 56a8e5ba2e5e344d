// How many of the first pairs of a job are still warming up: caches that fill, a clock that falls.
//
// What is looked at is how long the two runs of a pair took together, never their difference, so
// leaving pairs out cannot make one side look better. A pair counts as warming up where it differs
// from those behind it by more than they differ from one another, and by more than a machine does
// for no reason. Pure.
#pragma once

#include <cstddef>
#include <span>

namespace gprofx::compare {

// `base` and `head` are the times of the pairs, in the order in which they were taken. Never more
// than a third of the pairs, and never so many that less than three stay.
size_t WarmUpPairs(std::span<const double> base, std::span<const double> head);

}  // namespace gprofx::compare
