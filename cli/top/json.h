// Formats one interval of gprof-x top as JSON with the schema "gprof-x.top/1". Pure.
#pragma once

#include <cstddef>

#include "cli/json_text.h"
#include "cli/top/keys.h"
#include "cli/top/snapshot.h"

namespace gprofx {

// Returns an interval as JSON. It includes up to `most` rows of each table, in the order of `sort`,
// and the total number of rows.
Json TopJson(const Snapshot& snapshot, TopSort sort, size_t most);

}  // namespace gprofx
