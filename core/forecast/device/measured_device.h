// A device as the driver describes it and as it was measured (gprof-x doctor --measure-device).
//
// What the driver does not tell, such as links and the number of matrix operations in a clock, is
// that of the known device of this name, else of its architecture. Pure.
#pragma once

#include <string_view>

#include "core/forecast/device/device.h"

namespace gprofx::forecast {

struct DeviceMeasurement {
  std::string name;       // the driver's
  double capability = 0;  // compute capability times 10
  double sms = 0, threads = 0, clock_hz = 0, memory_bytes = 0, l2_bytes = 0;
  double bandwidth = 0;                     // bytes/s, by the memory's clock and width; 0 = unknown
  double copy = 0, gemm32 = 0, gemm16 = 0;  // bytes/s and FLOP/s; 0 = not measured
  std::string library;                      // that made the products
  std::string no_products;                  // why there are none
};

// The answer of gprofx-foreign: a name, a blank and a value in each line. An "error" line is the
// error; lines that are not known are left out.
Result<DeviceMeasurement> ParseMeasurement(std::string_view answer);

// `known`: devices that may have this name.
Device DeviceFrom(const DeviceMeasurement& measured, const std::vector<Device>& known);

}  // namespace gprofx::forecast
