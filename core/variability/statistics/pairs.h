// Measures the effect of concurrent work on executions, by matched pairs. Each execution with other
// work beside it is paired with the nearest clean execution of its group on its lane. An execution
// is clean if nothing ran beside it at any time. Used inside core/variability only. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "core/variability/statistics/tally.h"

namespace gprofx::variability {

// An execution that has ended. `slot` is the number of its combination of group and lane; slots are
// numbered in order of appearance.
struct Execution {
  int64_t start = 0, duration = 0, log = 0;
  uint32_t base = 0, group = 0, slot = 0;
  uint8_t beside = 0;  // bits of Beside
  bool is_clean = false;
};

// Pairs the executions in `rows` and adds the pairs to tally.effects. `slots` is the number of
// slots.
void MakePairs(const Plan& plan, const std::vector<Execution>& rows, uint32_t slots, Tally& tally);

}  // namespace gprofx::variability
