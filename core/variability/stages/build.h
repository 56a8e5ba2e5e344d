// Shared by the parts of MakeModel. Used inside core/variability only.
#pragma once

#include <cmath>
#include <vector>

#include "core/variability/model.h"

namespace gprofx::variability {

inline constexpr double kRate = 0.05;       // false discovery rate, over all findings
inline constexpr double kMinEffect = 0.02;  // smaller effects are not reported
// r values are log2 in units of kLogOne.
inline double RatioOf(double r) { return std::exp2(r / static_cast<double>(kLogOne)); }
inline bool IsLarge(double ratio) {
  return ratio >= 1 + kMinEffect || ratio <= 1 / (1 + kMinEffect);
}

// A cell with the model row of its group.
struct BlockCell {
  uint32_t row = 0, shard = 0, lane = 0, bin = 0;
  Cell cell;
  double mean_r = 0;
};

struct Build {
  const Survey& survey;
  const Plan& plan;
  const Tally& tally;
  Model& model;
  std::vector<uint32_t> row_of;    // by group of the plan
  std::vector<int64_t> shift_of;   // to add to its r, if the clusters of a group share a row
  std::vector<uint32_t> group_of;  // by row: first group of the plan
  std::vector<uint8_t> whole_of;   // by row: has both clusters
  std::vector<BlockCell> cells;    // sorted by row, shard, lane, bin
  std::vector<uint8_t> matched;    // by row: its collectives were matched over several lanes
  uint64_t steps = 0;              // over all lanes, without warm-up
};

void BuildGroups(Build& build);  // rows, cells
void BuildSteps(Build& build);
void BuildCollectives(Build& build);  // before BuildShards()
void BuildEffects(Build& build);
void BuildShards(Build& build);  // and findings
void BuildCauses(Build& build);  // after BuildCollectives()

}  // namespace gprofx::variability
