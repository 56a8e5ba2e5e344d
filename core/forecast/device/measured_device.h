// Describes a device as the driver reports it and as `gprof-x doctor --measure-device` measured it.
//
// The driver does not report some properties, such as links and matrix operations per clock. They
// come from the known device of the same name or, if there is none, from the architecture. Pure.
#pragma once

#include <string_view>

#include "core/forecast/device/device.h"

namespace gprofx::forecast {

struct DeviceMeasurement {
  std::string name;       // as reported by the driver
  double capability = 0;  // compute capability * 10
  double sms = 0, threads = 0, clock_hz = 0, memory_bytes = 0, l2_bytes = 0;
  // Bytes/s, computed from memory clock and bus width; 0 = unknown.
  double bandwidth = 0;
  double copy = 0, gemm32 = 0, gemm16 = 0;  // bytes/s and FLOP/s; 0 = not measured
  std::string library;                      // library that ran the products
  std::string no_products;                  // why products were not measured
};

// Parses the output of gprofx-foreign. Each line is a name, a blank and a value. An "error" line is
// returned as the error; unknown lines are ignored.
Result<DeviceMeasurement> ParseMeasurement(std::string_view answer);

// Returns the measured device. A device in `known` with the same name supplies the properties that
// the driver does not report.
Device DeviceFrom(const DeviceMeasurement& measured, const std::vector<Device>& known);

}  // namespace gprofx::forecast
