// Forecasts the time of one kernel, from its work or from its measured time on another device.
//
// Models of the work are a roofline with an L2 term and waves of tiles (models.h). For tensor-core
// products, the measured time of the same shape on another device is scaled instead (tensor.h).
// Intervals are percentiles of measured over forecast time on GPUs that were left out of the fit
// (conformal prediction). They are wider if the device was never measured or if the size is outside
// of all measurements. Pure; any thread; a Forecaster keeps a reference to its table.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "core/forecast/device/table.h"
#include "core/forecast/models.h"

namespace gprofx::forecast {

enum class KernelBound : uint8_t { kFloor, kMemory, kCompute };
std::string_view BoundWord(KernelBound bound);  // "launch", "memory", "compute"

// Maximum of a forecast: thirty years. A longer time results from an invalid size or device and is
// rejected.
inline constexpr double kMaxMs = 1e12;

struct KernelForecast {
  double ms = 0, low_ms = 0, high_ms = 0;  // low_ms to high_ms is an 80 % interval
  KernelBound bound = KernelBound::kFloor;
  bool extrapolated = false;  // true if the size is outside of all measurements
};

class Forecaster {
 public:
  Forecaster(const ForecastTable& table, const Device& device);

  // Forecasts a kernel. With `alone`, the result is the time between two events around a single
  // kernel, which includes the minimum time between events. Without it, the result is the time of
  // the kernel among others in a stream.
  KernelForecast Kernel(const KernelWork& work, bool alone) const;
  const Device& device() const { return device_; }
  const DeviceRates& rates(NumberType type) const { return rates_[static_cast<size_t>(type)]; }
  const ForecastTable& table() const { return table_; }
  // Returns only the milliseconds of Kernel(), for sums of many kernels.
  double KernelMs(const KernelWork& work, bool alone) const;

 private:
  const ForecastTable& table_;
  Device device_;
  std::array<DeviceRates, 4> rates_;
};

// A measured kernel. `flop` and `bytes` are 0 if unknown. If both are 0, the time scales with a mix
// of the arithmetic rate and the memory rate, in which `memory_share` is the weight of the memory
// rate.
struct MeasuredKernel {
  double ms = 0;
  double flop = 0, bytes = 0;
  double tiles = 0;  // number of blocks of a product, for waves; 0 = work is evenly spread
  WorkFamily family = WorkFamily::kCopy;
  NumberType type = NumberType::kFp32;
  double floor_ms = 0.0025;   // part of `ms` that does not scale
  double memory_share = 0.5;  // if `flop` and `bytes` are 0: memory stalls / (memory + math stalls)
  bool mixed = false;         // true if `memory_share` was measured for this kind of kernel
};

// Forecasts the times of measured kernels on another device. If the two devices are the same, the
// result is exactly MeasuredKernel::ms.
class KernelCarrier {
 public:
  KernelCarrier(const ForecastTable& table, const Device& source, const Device& target);

  KernelForecast operator()(const MeasuredKernel& kernel) const;
  bool is_same() const { return is_same_; }
  const DeviceRates& from(NumberType type) const { return from_[static_cast<size_t>(type)]; }

 private:
  std::array<DeviceRates, 4> from_, to_;
  Interval interval_;
  bool is_same_ = false;
};

// Returns the bytes that a streaming kernel moves in `ms`: up to half of the size of L2 at the
// speed of L2, the rest at the sustained memory rate.
double StreamedBytes(double ms, const DeviceRates& rates);

KernelForecast TransferKernel(const ForecastTable& table, const MeasuredKernel& kernel,
                              const Device& source, const Device& target);

}  // namespace gprofx::forecast
