// Whether two sides can be compared: what stands against it, and what is worth a word. Pure.
#pragma once

#include <span>
#include <vector>

#include "core/compare/diff.h"

namespace gprofx::compare {

// What makes any conclusion wrong.
std::vector<Obstacle> Obstacles(std::span<const Run> base, std::span<const Run> head);

// What a reader should know, and nothing follows from. `settings` as they were asked for.
std::vector<Obstacle> Notes(std::span<const Run> base, std::span<const Run> head,
                            const Settings& settings);

}  // namespace gprofx::compare
