// Declares the contents of two files of this folder, which embed.cmake embeds in the program as
// text.
#pragma once

#include <string_view>

namespace gprofx::forecast {

extern const std::string_view kDevicesCsv;
extern const std::string_view kTrainedTable;

}  // namespace gprofx::forecast
