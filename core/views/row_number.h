// Row numbers as handles: "#3" is the third row of functions and "#g3" the third row of kernels and
// copies in the table that a report of the profile shows without options, regardless of its limit.
// The same file always has the same numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "core/base/result.h"
#include "core/model/profile.h"

namespace gprofx {

struct RowNumber {
  bool gpu = false;
  size_t number = 0;  // from 1
};

// Unset if `text` is not a row number: "#", "#0", "#x3", "3".
std::optional<RowNumber> ParseRowNumber(std::string_view text);

// Returns a frame of the row. The error says how many rows there are.
Result<FrameId> FrameOfRow(const Profile& profile, const RowNumber& row);

}  // namespace gprofx
