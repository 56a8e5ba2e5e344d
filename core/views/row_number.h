// Parses and resolves row numbers, by which users refer to rows: "#3" is the third row of functions
// and "#g3" the third row of kernels and copies. A row's number is its position in the table that a
// report without options shows, including rows beyond the limit of that table. The numbers of a
// file never change.
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

// Parses a row number. No value if `text` is not one, such as "#", "#0", "#x3" or "3".
std::optional<RowNumber> ParseRowNumber(std::string_view text);

// Returns a frame of the row with this number. The error says how many rows there are.
Result<FrameId> FrameOfRow(const Profile& profile, const RowNumber& row);

}  // namespace gprofx
