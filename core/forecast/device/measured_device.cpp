#include "core/forecast/device/measured_device.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "core/forecast/device/csv.h"

namespace gprofx::forecast {
namespace {

constexpr double kMega = 1e6, kGiga = 1e9, kTera = 1e12;
constexpr double kKilo = 1e3;
constexpr double kTransfers = 2;  // transfers per memory clock

// FLOP per multiprocessor and clock of each architecture, dense, from white papers.
struct Architecture {
  double capability;  // first compute capability of the architecture
  double lanes, bf16, fp8, fp4;
};
constexpr Architecture kArchitectures[] = {
    {50, 128, 0, 0, 0},           {60, 64, 0, 0, 0},        {61, 128, 0, 0, 0},
    {70, 64, 1024, 0, 0},         {80, 64, 2048, 0, 0},     {86, 128, 1024, 0, 0},
    {89, 128, 1024, 2048, 0},     {90, 128, 4096, 8192, 0}, {100, 128, 8192, 16384, 32768},
    {120, 128, 1024, 2048, 4096},
};

const Architecture& ArchitectureOf(double capability) {
  const Architecture* found = &kArchitectures[0];
  for (const Architecture& one : kArchitectures) {
    if (capability >= one.capability) found = &one;
  }
  return *found;
}

struct Number {
  const char* name;
  double DeviceMeasurement::*field;
  double factor;
};
constexpr Number kMeasuredNumbers[] = {
    {"clock_khz", &DeviceMeasurement::clock_hz, kKilo},
    {"sms", &DeviceMeasurement::sms, 1},
    {"threads", &DeviceMeasurement::threads, 1},
    {"l2_bytes", &DeviceMeasurement::l2_bytes, 1},
    {"memory_bytes", &DeviceMeasurement::memory_bytes, 1},
    {"copy_bytes_per_s", &DeviceMeasurement::copy, 1},
    {"gemm32_flop_per_s", &DeviceMeasurement::gemm32, 1},
    {"gemm16_flop_per_s", &DeviceMeasurement::gemm16, 1},
};

// Returns a device with the properties that the driver reports and those of its architecture. Used
// for devices that are not in the table.
Device Described(const DeviceMeasurement& measured) {
  const Architecture& architecture = ArchitectureOf(measured.capability);
  const double clocks = measured.sms * measured.clock_hz / kTera;
  Device device;
  device.name = measured.name;
  device.lanes = architecture.lanes;
  device.fp32 = 2 * architecture.lanes * clocks;
  device.bf16 = architecture.bf16 * clocks;
  device.fp8 = architecture.fp8 * clocks;
  device.fp4 = architecture.fp4 * clocks;
  device.capability = measured.capability;
  device.sms = measured.sms;
  device.threads = measured.threads;
  device.l2_mb = measured.l2_bytes / kMega;
  device.memory_gb = measured.memory_bytes / kGiga;
  // The specified bandwidth must be at least the measured one.
  device.bandwidth = std::max(measured.bandwidth, measured.copy) / kGiga;
  return device;
}

}  // namespace

Result<DeviceMeasurement> ParseMeasurement(std::string_view answer) {
  DeviceMeasurement measured;
  double major = 0, minor = 0, memory_hz = 0, bits = 0;
  while (!answer.empty()) {
    const std::string_view line = answer.substr(0, answer.find('\n'));
    answer.remove_prefix(std::min(answer.size(), line.size() + 1));
    const size_t blank = line.find(' ');
    if (blank == std::string_view::npos) continue;
    const std::string_view name = line.substr(0, blank);
    const std::string value(line.substr(blank + 1));
    const double number = ParseNumber(value).value_or(0);
    if (name == "error") {
      return Error{ErrorId::kGpuNotMeasured, value,
                   "run this on a machine with a GPU and its driver"};
    }
    if (name == "name") measured.name = value;
    if (name == "cublas") measured.library = value;
    if (name == "no_products") measured.no_products = value;
    if (name == "compute_major") major = number;
    if (name == "compute_minor") minor = number;
    if (name == "memory_khz") memory_hz = number * kKilo;
    if (name == "bus_bits") bits = number;
    for (const Number& known : kMeasuredNumbers) {
      if (name == known.name) measured.*known.field = number * known.factor;
    }
  }
  measured.capability = 10 * major + minor;
  measured.bandwidth = memory_hz * kTransfers * bits / 8;
  if (measured.name.empty() || measured.copy <= 0) {
    return Error{ErrorId::kGpuNotMeasured, "measuring the GPU ended early",
                 "end other programs on the GPU, then try again"};
  }
  return measured;
}

Device DeviceFrom(const DeviceMeasurement& measured, const std::vector<Device>& known) {
  const Result<const Device*> found = FindDevice(known, measured.name);
  Device device = found ? **found : Described(measured);
  device.copy = measured.copy / kGiga;
  if (measured.gemm32 > 0) device.gemm32 = measured.gemm32 / kTera;
  if (measured.gemm16 > 0) device.gemm16 = measured.gemm16 / kTera;
  return device;
}

}  // namespace gprofx::forecast
