// The forecast of one kernel: from its work alone, or from a measured time on another device.
//
// Sources of method: roofline with an L2 term and waves of tiles (models.h); same-shape transfer of
// measured tensor-core products (tensor.h); intervals are percentiles of measured over forecast on
// GPUs that were left out of the fit (conformal), wider where a device was never measured or a size
// lies outside of all that was. Pure; any thread; a Forecaster refers to its table.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "core/forecast/device/table.h"
#include "core/forecast/models.h"

namespace gprofx::forecast {

enum class KernelBound : uint8_t { kFloor, kMemory, kCompute };
std::string_view BoundWord(KernelBound bound);  // "launch", "memory", "compute"

// Thirty years: whatever is said to take longer is a broken size or device, and no forecast.
inline constexpr double kMaxMs = 1e12;

struct KernelForecast {
  double ms = 0, low_ms = 0, high_ms = 0;  // 80 % between
  KernelBound bound = KernelBound::kFloor;
  bool extrapolated = false;  // outside of what was measured anywhere
};

class Forecaster {
 public:
  Forecaster(const ForecastTable& table, const Device& device);

  // `alone`: timed by events around it, which have a floor of their own; else among others.
  KernelForecast Kernel(const KernelWork& work, bool alone) const;
  const Device& device() const { return device_; }
  const DeviceRates& rates(NumberType type) const { return rates_[static_cast<size_t>(type)]; }
  const ForecastTable& table() const { return table_; }
  // Milliseconds without interval: what sums of many kernels need.
  double KernelMs(const KernelWork& work, bool alone) const;

 private:
  const ForecastTable& table_;
  Device device_;
  std::array<DeviceRates, 4> rates_;
};

// A kernel that was measured. What is not known is 0: without `flop` and `bytes` it scales by a mix
// of arithmetic and bandwidth.
struct MeasuredKernel {
  double ms = 0;
  double flop = 0, bytes = 0;
  double tiles = 0;  // blocks of a product, for waves; 0 = evenly spread
  WorkFamily family = WorkFamily::kCopy;
  NumberType type = NumberType::kFp32;
  double floor_ms = 0.0025;   // of `ms`, that no work explains and that stays
  double memory_share = 0.5;  // of an unknown kernel: memory stalls among memory and math stalls
  bool mixed = false;  // its kind is known, though: by measured pairs, `memory_share` of its time
                       // is memory's
};

// Carries measured kernels from one device to another; source = target gives `ms` exactly.
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

// What memory moves in a time at the rate that a device sustains: the work of a kernel that
// streams, where nobody tells it. What L2 keeps comes faster.
double StreamedBytes(double ms, const DeviceRates& rates);

KernelForecast TransferKernel(const ForecastTable& table, const MeasuredKernel& kernel,
                              const Device& source, const Device& target);

}  // namespace gprofx::forecast
