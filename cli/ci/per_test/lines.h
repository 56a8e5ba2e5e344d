// Splits text files that a framework or a user wrote into lines. Pure, except ReadLines().
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace gprofx {

// Returns the lines that are not blank. Blanks at the ends of a line are removed.
std::vector<std::string> LinesOf(std::string_view text);

Result<std::vector<std::string>> ReadLines(const std::string& path);

}  // namespace gprofx
