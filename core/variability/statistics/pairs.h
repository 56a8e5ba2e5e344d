// What it costs an execution to have something beside it, from matched pairs: each one that had,
// with the nearest of its group on its lane that had nothing. Used inside core/variability only.
// Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "core/variability/statistics/tally.h"

namespace gprofx::variability {

// Of a kernel or copy that has ended. `slot`: a group on a lane, numbered as they are seen.
struct Execution {
  int64_t start = 0, duration = 0, log = 0;
  uint32_t base = 0, group = 0, slot = 0;
  uint8_t beside = 0;  // bits of Beside
  bool is_clean = false;
};

// Adds the pairs among `rows` to tally.effects; `slots` is how many slots there are.
void MakePairs(const Plan& plan, const std::vector<Execution>& rows, uint32_t slots, Tally& tally);

}  // namespace gprofx::variability
