// Effect of concurrent work on executions, from matched pairs. Each execution that other work ran
// beside is paired with the nearest clean one of its group on its lane; clean means that nothing
// ran beside it at any time. Used inside core/variability only. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "core/variability/statistics/tally.h"

namespace gprofx::variability {

// A finished kernel or copy. `slot`: a group on a lane, numbered in order of appearance.
struct Execution {
  int64_t start = 0, duration = 0, log = 0;
  uint32_t base = 0, group = 0, slot = 0;
  uint8_t beside = 0;  // bits of Beside
  bool is_clean = false;
};

// Adds the pairs among `rows` to tally.effects; `slots` is the number of slots.
void MakePairs(const Plan& plan, const std::vector<Execution>& rows, uint32_t slots, Tally& tally);

}  // namespace gprofx::variability
