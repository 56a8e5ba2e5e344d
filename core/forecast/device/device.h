// What a forecast must know of a GPU: its specification, and the two rates that boards really
// sustain, which no specification tells (a 70 W board runs large products at half of its peak).
//
// The facts are data: core/forecast/device/devices.csv, and files of the same form for one's own
// devices. TFLOP/s are 1e12 FLOP/s, GB/s 1e9 bytes/s, MB and GB 1e6 and 1e9 bytes. Pure; any
// thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace gprofx::forecast {

enum class NumberType : uint8_t { kFp32, kBf16, kFp8, kFp4 };

// What a device without measurements is likened to.
enum class DeviceClass : uint8_t {
  kServer,       // HBM and watts enough for its peak
  kWorkstation,  // GDDR, clocks that fall under load
  kInference,    // 70 to 75 W: half of its peak
  kMatrix,       // AMD: FP32 by matrix cores
};

struct Device {
  std::string name;
  std::vector<std::string> aliases;
  DeviceClass kind = DeviceClass::kServer;
  double capability = 80;  // compute capability times 10; 0 = not NVIDIA's
  double sms = 0;
  double lanes = 0;                             // FP32 lanes of a multiprocessor
  double threads = 2048;                        // that a multiprocessor holds
  double fp32 = 0, bf16 = 0, fp8 = 0, fp4 = 0;  // TFLOP/s, dense; 0 = it has none
  double bandwidth = 0;                         // GB/s
  double memory_gb = 0, l2_mb = 0, watt = 0;
  double link = 0, pcie = 0;  // GB/s, one way, for each GPU
  double node = 0;            // GPUs that the links join
  double gemm32 = 0;          // TFLOP/s of large FP32 products, measured; 0 = not
  double copy = 0;            // GB/s of a streaming addition, measured; 0 = not
  double gemm16 = 0;          // TFLOP/s of large bfloat16 products, measured; 0 = not
};

// What a device sustains: measured, or its specification times the factor of its class.
struct SustainedRate {
  double value = 0;  // FLOP/s or bytes/s
  bool measured = false;
};
SustainedRate SustainedGemm(const Device& device, NumberType type);
SustainedRate SustainedCopy(const Device& device);
// The specification: FLOP/s. Types that a device lacks run at the rate of the next wider one.
double PeakFlops(const Device& device, NumberType type);

// The same name and the same facts; only aliases may differ. What was measured on one is true of
// the other then, and not where a device of one's own has taken the name with other facts.
bool IsSameDevice(const Device& a, const Device& b);

// Devices of a table like devices.csv. `file` is the name in messages.
Result<std::vector<Device>> ParseDevices(std::string_view text, const std::string& file);

// The other way: such a table, with its line of column names.
std::string DevicesCsv(const std::vector<Device>& devices);

const std::vector<Device>& BuiltInDevices();

// By name or alias, in any spelling ("NVIDIA_H100_80GB_HBM3", "h100 sxm"). The error offers the
// nearest names. Later devices win, so that one's own may replace what is built in.
Result<const Device*> FindDevice(const std::vector<Device>& devices, std::string_view name);

}  // namespace gprofx::forecast
