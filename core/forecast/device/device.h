// What a forecast needs to know about a GPU: its specification, and the two rates that a board
// really sustains, which no specification has (a 70 W board runs large products at half of its
// peak).
//
// The data are in core/forecast/device/devices.csv; users can add files of the same form for their
// own devices. TFLOP/s are 1e12 FLOP/s, GB/s 1e9 bytes/s, MB and GB 1e6 and 1e9 bytes. Pure; any
// thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace gprofx::forecast {

enum class NumberType : uint8_t { kFp32, kBf16, kFp8, kFp4 };

// The class that determines the rates of a device without measurements.
enum class DeviceClass : uint8_t {
  kServer,       // HBM, and power enough for its peak
  kWorkstation,  // GDDR, clocks drop under load
  kInference,    // 70 to 75 W: half of its peak
  kMatrix,       // AMD: FP32 by matrix cores
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
  double node = 0;            // number of GPUs joined by the links
  double gemm32 = 0;          // TFLOP/s of large FP32 products; 0 = not measured
  double copy = 0;            // GB/s of a streaming addition; 0 = not measured
  double gemm16 = 0;          // TFLOP/s of large bfloat16 products; 0 = not measured
};

// The rate that a device sustains: measured, or its specification times the factor of its class.
struct SustainedRate {
  double value = 0;  // FLOP/s or bytes/s
  bool measured = false;
};
SustainedRate SustainedGemm(const Device& device, NumberType type);
SustainedRate SustainedCopy(const Device& device);
// The specified rate, FLOP/s. A type that the device lacks runs at the rate of the next wider one.
double PeakFlops(const Device& device, NumberType type);

// True if the names and all facts of two devices are equal; aliases may differ. Measurements of one
// device then hold for the other. A user's device with the same name but other facts is not the
// same.
bool IsSameDevice(const Device& a, const Device& b);

// Parses a table like devices.csv. `file` is the name used in messages.
Result<std::vector<Device>> ParseDevices(std::string_view text, const std::string& file);

// Writes such a table, including the line of column names.
std::string DevicesCsv(const std::vector<Device>& devices);

const std::vector<Device>& BuiltInDevices();

// Finds a device by name or alias, in any spelling ("NVIDIA_H100_80GB_HBM3", "h100 sxm"). The error
// suggests the nearest names. Later devices take precedence, so that users can replace built-in
// ones.
Result<const Device*> FindDevice(const std::vector<Device>& devices, std::string_view name);

}  // namespace gprofx::forecast
