// The forecast of one kernel: from its work, or from its measured time on another device.
//
// Methods: roofline with an L2 term and waves of tiles (models.h); same-shape transfer of measured
// tensor-core products (tensor.h); intervals are percentiles of measured over forecast on GPUs that
// were left out of the fit (conformal), wider if the device was never measured or the size is
// outside of all measurements. Pure; any thread; a Forecaster keeps a reference to its table.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "core/forecast/device/table.h"
#include "core/forecast/models.h"

namespace gprofx::forecast {

enum class KernelBound : uint8_t { kFloor, kMemory, kCompute };
std::string_view BoundWord(KernelBound bound);  // "launch", "memory", "compute"

// Thirty years. A longer time is due to an invalid size or device, and is not a forecast.
inline constexpr double kMaxMs = 1e12;

struct KernelForecast {
  double ms = 0, low_ms = 0, high_ms = 0;  // low to high: 80 % interval
  KernelBound bound = KernelBound::kFloor;
  bool extrapolated = false;  // outside of all measurements
};

class Forecaster {
 public:
  Forecaster(const ForecastTable& table, const Device& device);

  // `alone`: timed by events around it, which have their own floor; otherwise among other kernels.
  KernelForecast Kernel(const KernelWork& work, bool alone) const;
  const Device& device() const { return device_; }
  const DeviceRates& rates(NumberType type) const { return rates_[static_cast<size_t>(type)]; }
  const ForecastTable& table() const { return table_; }
  // Milliseconds without interval, for sums of many kernels.
  double KernelMs(const KernelWork& work, bool alone) const;

 private:
  const ForecastTable& table_;
  Device device_;
  std::array<DeviceRates, 4> rates_;
};

// A measured kernel. 0 means unknown: without `flop` and `bytes`, the time scales by a mix of
// arithmetic and bandwidth.
struct MeasuredKernel {
  double ms = 0;
  double flop = 0, bytes = 0;
  double tiles = 0;  // blocks of a product, for waves; 0 = evenly spread
  WorkFamily family = WorkFamily::kCopy;
  NumberType type = NumberType::kFp32;
  double floor_ms = 0.0025;   // part of `ms` that does not scale
  double memory_share = 0.5;  // if unknown: memory stalls over memory and math stalls
  bool mixed = false;         // `memory_share` is that of its kind, from measured pairs
};

// Carries measured kernels from one device to another; returns exactly `ms` if they are the same.
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

// Bytes that memory moves in `ms` at the sustained rate, with those in L2 moving faster: the
// estimated work of a streaming kernel.
double StreamedBytes(double ms, const DeviceRates& rates);

KernelForecast TransferKernel(const ForecastTable& table, const MeasuredKernel& kernel,
                              const Device& source, const Device& target);

}  // namespace gprofx::forecast
