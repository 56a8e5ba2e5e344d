// Describes a GPU as forecasts need it: its specification, and the rates that it sustains.
// Specifications do not contain sustained rates; a 70 W board, for example, runs large matrix
// products at half of its peak.
//
// The data are in core/forecast/device/devices.csv. Users can add their own devices in a file of
// the same form. TFLOP/s are 1e12 FLOP/s, GB/s 1e9 bytes/s, MB and GB 1e6 and 1e9 bytes. Pure; any
// thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace gprofx::forecast {

enum class NumberType : uint8_t { kFp32, kBf16, kFp8, kFp4 };

// The class of a device. If a device has no measurements, its class determines its sustained rates.
enum class DeviceClass : uint8_t {
  kServer,       // HBM, and enough power for its peak
  kWorkstation,  // GDDR; clocks drop under load
  kInference,    // 70 to 75 W: reaches half of its peak
  kMatrix,       // AMD: FP32 products run on matrix cores
};

struct Device {
  std::string name;
  std::vector<std::string> aliases;
  DeviceClass kind = DeviceClass::kServer;
  double capability = 80;  // compute capability * 10; 0 = not NVIDIA
  double sms = 0;
  double lanes = 0;                             // FP32 lanes per multiprocessor
  double threads = 2048;                        // maximum threads per multiprocessor
  double fp32 = 0, bf16 = 0, fp8 = 0, fp4 = 0;  // TFLOP/s, dense; 0 = unsupported
  double bandwidth = 0;                         // GB/s
  double memory_gb = 0, l2_mb = 0, watt = 0;
  double link = 0, pcie = 0;  // GB/s per GPU, one direction
  double node = 0;            // number of GPUs in a node, within which the links connect them
  double gemm32 = 0;          // TFLOP/s of large FP32 products; 0 = not measured
  double copy = 0;            // GB/s of adding two vectors; 0 = not measured
  double gemm16 = 0;          // TFLOP/s of large bfloat16 products; 0 = not measured
};

// A rate that a device sustains: the measured one or, without measurements, the specified one times
// a factor of its class.
struct SustainedRate {
  double value = 0;  // FLOP/s or bytes/s
  bool measured = false;
};
SustainedRate SustainedGemm(const Device& device, NumberType type);
SustainedRate SustainedCopy(const Device& device);
// Returns the specified rate in FLOP/s. A type that the device does not support runs at the rate of
// the next wider type.
double PeakFlops(const Device& device, NumberType type);

// True if two devices have the same name and the same properties; their aliases may differ.
// Measurements of one device are then valid for the other. A user's device may have the name of a
// built-in one but other properties; it is then a different device.
bool IsSameDevice(const Device& a, const Device& b);

// Parses a table of the form of devices.csv. `file` is the file's name in messages.
Result<std::vector<Device>> ParseDevices(std::string_view text, const std::string& file);

// Returns the text of such a table, including the line of column names.
std::string DevicesCsv(const std::vector<Device>& devices);

const std::vector<Device>& BuiltInDevices();

// Finds a device by name or alias, in any spelling ("NVIDIA_H100_80GB_HBM3", "h100 sxm"). If
// several match, the last one is returned, so that users can replace built-in devices. The error
// suggests similar names.
Result<const Device*> FindDevice(const std::vector<Device>& devices, std::string_view name);

}  // namespace gprofx::forecast
