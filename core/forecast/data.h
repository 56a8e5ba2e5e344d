// Contents of two files of this folder. embed.cmake embeds them in the program as text.
#pragma once

#include <string_view>

namespace gprofx::forecast {

extern const std::string_view kDevicesCsv;
extern const std::string_view kTrainedTable;

}  // namespace gprofx::forecast
