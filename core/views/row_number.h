// Row numbers by which users refer to rows: "#3" is the third row of functions and "#g3" the third
// row of kernels and copies. The numbers are those of the table that a report without options
// shows, even of rows beyond its limit. A file always has the same numbers.
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

// Returns no value if `text` is not a row number: "#", "#0", "#x3", "3".
std::optional<RowNumber> ParseRowNumber(std::string_view text);

// Returns a frame of the row. The error says how many rows there are.
Result<FrameId> FrameOfRow(const Profile& profile, const RowNumber& row);

}  // namespace gprofx
