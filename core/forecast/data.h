// Files of this folder as text in the program; made by embed.cmake.
#pragma once

#include <string_view>

namespace gprofx::forecast {

extern const std::string_view kDevicesCsv;
extern const std::string_view kTrainedTable;

}  // namespace gprofx::forecast
