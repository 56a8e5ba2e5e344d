// Encodes the times of a grid as text for tables.txt. Each time is stored as its difference from a
// prediction that is made from its neighbours, as PNG stores pixels (Paeth's family of filters,
// "left + above - above left"). Most differences are small, and they compress well.
//
// A difference from -46 to 46 is one of 93 characters. Any other difference is '~' and two
// characters. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gprofx::forecast {

inline constexpr uint16_t kMaxSteps = 4095;

// Returns the text of one row: the `width` values of `steps` from index `first`. A value is a time
// as an exponent of kGridStep (table.h). The values before `first` are needed for the prediction.
std::string GridRowText(const std::vector<uint16_t>& steps, size_t first, size_t width);

// Decodes a line and appends its row to `steps`. Returns false if the line is invalid; `steps` is
// then unusable.
bool ReadGridRow(std::string_view line, size_t width, std::vector<uint16_t>& steps);

}  // namespace gprofx::forecast
