// What `gprof-x diff --json` prints, as a value.
#pragma once

#include <string>
#include <vector>

#include "cli/json_text.h"
#include "core/compare/diff.h"

namespace gprofx {

// Of changes, the first of each list that there is room for.
Json DiffValue(const compare::Diff& diff, const std::vector<std::string>& base,
               const std::vector<std::string>& head, ListRoom& room);

}  // namespace gprofx
