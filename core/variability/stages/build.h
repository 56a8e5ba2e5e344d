// Defines what the stages of MakeModel() share: their data (Build) and their thresholds. Used
// inside core/variability only.
#pragma once

#include <cmath>
#include <vector>

#include "core/variability/model.h"

namespace gprofx::variability {

inline constexpr double kRate = 0.05;       // false discovery rate, over all findings
inline constexpr double kMinEffect = 0.02;  // smaller effects are not reported; 0.02 = 2 %
// Converts `r`, a log2 in units of kLogOne, to a ratio.
inline double RatioOf(double r) { return std::exp2(r / static_cast<double>(kLogOne)); }
inline bool IsLarge(double ratio) {
  return ratio >= 1 + kMinEffect || ratio <= 1 / (1 + kMinEffect);
}

// A cell (cells.h) and the row of its group in Model::groups.
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
  std::vector<uint32_t> row_of;  // by group of the plan: its row in Model::groups
  // By group of the plan: number to add to `r` if both clusters of the group share a row.
  std::vector<int64_t> shift_of;
  std::vector<uint32_t> group_of;  // by row: first group of the plan
  std::vector<uint8_t> whole_of;   // by row: 1 if the row is both clusters of a group
  std::vector<BlockCell> cells;    // sorted by row, shard, lane, bin
  std::vector<uint8_t> matched;    // by row: 1 if its collectives were matched between lanes
  uint64_t steps = 0;              // over all lanes, without warm-up
};

void BuildGroups(Build& build);  // rows and cells
void BuildSteps(Build& build);
void BuildCollectives(Build& build);  // before BuildShards()
void BuildEffects(Build& build);
void BuildShards(Build& build);  // shards and findings
void BuildCauses(Build& build);  // after BuildCollectives()

}  // namespace gprofx::variability
