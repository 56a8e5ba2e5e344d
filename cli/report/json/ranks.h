// The ranks of a view as JSON, and what each row took in each of them.
#pragma once

#include "cli/json_text.h"
#include "core/views/view.h"

namespace gprofx {

Json RanksJson(const Ranks& ranks);
// Why GPUs idle, by cause, over all processes on their GPUs; null: nothing is known of two of them.
Json IdleCausesJson(const std::vector<LaneShares>& lanes);
// Adds "by_rank" to the rows of --ranks, in the order of "ranks".
void AddByRank(Json& rows, const RowTable& table);

}  // namespace gprofx
