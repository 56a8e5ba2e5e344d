// What the parts of MakeModel share. Used inside core/variability only.
#pragma once

#include <cmath>
#include <vector>

#include "core/variability/model.h"

namespace gprofx::variability {

inline constexpr double kRate = 0.05;       // of false findings, over all of them
inline constexpr double kMinEffect = 0.02;  // smaller ones concern nobody
// Logarithms of r are log2 in units of kLogOne.
inline double RatioOf(double r) { return std::exp2(r / static_cast<double>(kLogOne)); }
inline bool IsLarge(double ratio) {
  return ratio >= 1 + kMinEffect || ratio <= 1 / (1 + kMinEffect);
}

// A cell with the row of the model that its group became.
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
  std::vector<uint32_t> row_of;    // of each group of the plan
  std::vector<int64_t> shift_of;   // added to its r: the clusters of a group may be one row
  std::vector<uint32_t> group_of;  // of each row: the first group of the plan
  std::vector<uint8_t> whole_of;   // of each row: it has both clusters
  std::vector<BlockCell> cells;    // in order of row, shard, lane, bin
  std::vector<uint8_t> matched;    // of each row: its collectives were seen on several lanes
  uint64_t steps = 0;              // over all lanes, without warm-up
};

void BuildGroups(Build& build);  // rows, cells
void BuildSteps(Build& build);
void BuildCollectives(Build& build);  // before shards
void BuildEffects(Build& build);
void BuildShards(Build& build);  // and findings
void BuildCauses(Build& build);  // of steps; behind collectives

}  // namespace gprofx::variability
