// Two files of this folder, embedded in the program as text by embed.cmake.
#pragma once

#include <string_view>

namespace gprofx::forecast {

extern const std::string_view kDevicesCsv;
extern const std::string_view kTrainedTable;

}  // namespace gprofx::forecast
