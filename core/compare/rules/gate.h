// Checks whether two sides (all runs of the base, all runs of the head) are comparable. Finds
// obstacles, and notes for the reader. Pure.
#pragma once

#include <span>
#include <vector>

#include "core/compare/diff.h"

namespace gprofx::compare {

// Returns the reasons why no conclusion about the two sides is valid. Empty if they are comparable.
std::vector<Obstacle> Obstacles(std::span<const Run> base, std::span<const Run> head);

// Returns notes for the reader that do not affect the verdict. `settings` are the requested
// settings.
std::vector<Obstacle> Notes(std::span<const Run> base, std::span<const Run> head,
                            const Settings& settings);

}  // namespace gprofx::compare
