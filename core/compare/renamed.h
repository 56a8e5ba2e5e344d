// What is gone under one name and new under another. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "core/compare/diff.h"

namespace gprofx::compare {

// Positions of a new part and of a gone one that it most likely was: of the same kind, file and
// module, with about as much time of its own. Each stands in one pair at most, the ones with the
// most time are served first. `self`: times in the order of `changes`, whose fates are known.
std::vector<std::pair<size_t, size_t>> FindRenamed(std::span<const Change> changes,
                                                   std::span<const Series> self);

}  // namespace gprofx::compare
