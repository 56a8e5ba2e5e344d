// A device as described by the driver and as measured (gprof-x doctor --measure-device).
//
// Facts that the driver does not report, such as links and matrix operations per clock, come from
// the known device of the same name. If there is none, they come from the architecture. Pure.
#pragma once

#include <string_view>

#include "core/forecast/device/device.h"

namespace gprofx::forecast {

struct DeviceMeasurement {
  std::string name;       // as reported by the driver
  double capability = 0;  // compute capability * 10
  double sms = 0, threads = 0, clock_hz = 0, memory_bytes = 0, l2_bytes = 0;
  double bandwidth = 0;                     // bytes/s, from memory clock and width; 0 = unknown
  double copy = 0, gemm32 = 0, gemm16 = 0;  // bytes/s and FLOP/s; 0 = not measured
  std::string library;                      // library used for the products
  std::string no_products;                  // reason why products were not measured
};

// Parses the answer of gprofx-foreign: a name, a blank and a value in each line. An "error" line
// becomes the error; unknown lines are ignored.
Result<DeviceMeasurement> ParseMeasurement(std::string_view answer);

// Returns the device that was measured. `known`: devices to search for one of the same name.
Device DeviceFrom(const DeviceMeasurement& measured, const std::vector<Device>& known);

}  // namespace gprofx::forecast
