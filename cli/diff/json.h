// Makes the JSON value that `gprof-x diff --json` prints.
#pragma once

#include <string>
#include <vector>

#include "cli/json_text.h"
#include "core/compare/diff.h"

namespace gprofx {

// Includes only the first changes of each list, as many as `room` permits.
Json DiffValue(const compare::Diff& diff, const std::vector<std::string>& base,
               const std::vector<std::string>& head, ListRoom& room);

}  // namespace gprofx
