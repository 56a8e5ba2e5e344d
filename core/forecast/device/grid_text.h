// The times of a grid as text, for tables.txt: each as what it is more than its neighbours let
// expect, as PNG stores pixels (Paeth's family of filters, "left + above - above left"), since that
// is small nearly everywhere and packs well.
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

// The row of `width` steps that begins at `first`; those before it are its neighbours.
std::string GridRowText(const std::vector<uint16_t>& steps, size_t first, size_t width);

// Appends the row that a line holds; false where it is none, after which `steps` is of no use.
bool ReadGridRow(std::string_view line, size_t width, std::vector<uint16_t>& steps);

}  // namespace gprofx::forecast
