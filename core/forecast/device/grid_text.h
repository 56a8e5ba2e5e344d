// The times of a grid as text, for tables.txt. Each time is stored as its difference from a
// prediction by its neighbours, as PNG stores pixels (Paeth's family of filters, "left + above -
// above left"). The differences are small nearly everywhere and compress well.
//
// A difference of -46 to 46 is one of 93 characters; any other is '~' and two of them. Pure; any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gprofx::forecast {

inline constexpr uint16_t kMaxSteps = 4095;

// Encodes the row of `width` steps that begins at index `first`, and returns its text. A step is a
// time as a power of kGridStep (table.h). The steps before `first` are the neighbours that predict
// the row.
std::string GridRowText(const std::vector<uint16_t>& steps, size_t first, size_t width);

// Decodes a line and appends the row. False if the line is invalid; `steps` is unusable then.
bool ReadGridRow(std::string_view line, size_t width, std::vector<uint16_t>& steps);

}  // namespace gprofx::forecast
