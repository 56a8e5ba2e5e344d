// A device of the built-in table.
#pragma once

#include "../kernel_names.h"
#include "core/forecast/device/device.h"

namespace gprofx::testing {
using namespace gprofx::forecast;

inline const Device& Known(std::string_view name) { return **FindDevice(BuiltInDevices(), name); }

}  // namespace gprofx::testing
