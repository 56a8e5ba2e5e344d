// Makes the JSON of the ranks of a view, and of the time of each row in each rank.
#pragma once

#include "cli/json_text.h"
#include "core/views/view.h"

namespace gprofx {

Json RanksJson(const Ranks& ranks);
// Returns the causes of GPU idle time in each lane (a process and one of its GPUs). Returns null if
// there are fewer than two lanes.
Json IdleCausesJson(const std::vector<LaneShares>& lanes);
// Adds the member "by_rank" to each row of --ranks: the row's values in each rank, in the order of
// "ranks".
void AddByRank(Json& rows, const RowTable& table);

}  // namespace gprofx
