// Lines of a text file that a framework or a user wrote. Pure, except ReadLines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace gprofx {

// Returns the lines that are not blank, trimmed.
std::vector<std::string> LinesOf(std::string_view text);

Result<std::vector<std::string>> ReadLines(const std::string& path);

}  // namespace gprofx
