#include "core/forecast/kernel.h"

#include <algorithm>
#include <cmath>

#include "core/forecast/tensor.h"

namespace gprofx::forecast {
namespace {

// Wider interval if the sustained rates of the device are estimates.
constexpr double kUnmeasured = 1.15;
constexpr double kExtrapolated = 1.5;  // wider interval if the size is outside of all measurements
// kNewer widens the interval on generations after Ampere (kNewestFitted), of which the fit has no
// kernels. On an H100, the intervals of the fitted generations contained 61 to 92 % of the rows of
// a family.
constexpr double kNewestFitted = 80, kNewer = 1.05;
// Limits of the memory rate that a kernel reached, as a fraction of the sustained rate. Above
// kBusyMemory, memory limits the kernel; below kIdleMemory, it does not.
constexpr double kBusyMemory = 0.85, kIdleMemory = 0.6;
constexpr double kUnknownWork = 1.4;  // wider interval if the work of the kernel is unknown

void SetInterval(const Interval& interval, double widen, double least_ms,
                 KernelForecast& forecast) {
  forecast.low_ms = std::min(forecast.ms, std::max(least_ms, forecast.ms * interval.low / widen));
  forecast.high_ms = std::max(forecast.ms, forecast.ms * interval.high * widen);
}

// Returns the factor by which whole waves of tiles take longer than evenly spread work.
double WavePenalty(double tiles, double sms) {
  if (tiles <= 0) return 1;
  const double even = tiles / sms;
  return std::ceil(even) / even;
}

// Seconds that arithmetic and memory need at the sustained rates. Bytes that stay within L2 take
// less time.
struct LimitTimes {
  double compute = 0, memory = 0;
  double Both() const { return std::max(compute, memory); }
};
constexpr double kL2Speed = 2.5;
LimitTimes LimitsOf(const MeasuredKernel& kernel, const DeviceRates& rates) {
  const double cached = std::min(kernel.bytes, rates.l2_bytes / 2);
  return {kernel.flop / rates.flops * WavePenalty(kernel.tiles, rates.sms),
          (kernel.bytes - cached + cached / kL2Speed) / rates.bytes};
}

// Returns what limits a kernel: its launch if the floor is more than half of the time, otherwise
// arithmetic or memory, whichever takes longer.
KernelBound BoundOf(double floor_ms, double ms, double compute, double memory) {
  if (floor_ms > ms / 2) return KernelBound::kFloor;
  return compute > memory ? KernelBound::kCompute : KernelBound::kMemory;
}

}  // namespace

std::string_view BoundWord(KernelBound bound) {
  constexpr std::string_view kWords[] = {"launch", "memory", "compute"};
  return kWords[static_cast<size_t>(bound)];
}

Forecaster::Forecaster(const ForecastTable& table, const Device& device)
    : table_(table), device_(device) {
  for (size_t i = 0; i < rates_.size(); ++i) {
    rates_[i] = RatesOf(device_, static_cast<NumberType>(i));
  }
}

double Forecaster::KernelMs(const KernelWork& work, bool alone) const {
  const DeviceRates& rates = this->rates(work.type);
  double ms = 0;
  if (work.family == WorkFamily::kTensorProduct) {
    ms = TensorProductMs(table_, work, device_);
  } else {
    ms = ModelMs(work, rates, table_.parameters[static_cast<size_t>(work.family)], alone);
  }
  return std::max(ms, RooflineMs(work, rates));
}

KernelForecast Forecaster::Kernel(const KernelWork& work, bool alone) const {
  const DeviceRates& rates = this->rates(work.type);
  KernelForecast forecast;
  forecast.ms = KernelMs(work, alone);
  const double floor_ms = work.family == WorkFamily::kTensorProduct
                              ? kTensorFloorMs
                              : FloorMs(table_.parameters[static_cast<size_t>(work.family)], alone);
  forecast.bound =
      BoundOf(floor_ms, forecast.ms, work.Flop() / rates.flops, work.Bytes() / rates.bytes);
  const SizeRange& range = table_.ranges[static_cast<size_t>(work.family)];
  const double size = work.IsProduct() ? work.Flop() : work.Bytes();
  forecast.extrapolated = size > 2 * range.most;
  double widen = (rates.measured ? 1 : kUnmeasured) * (forecast.extrapolated ? kExtrapolated : 1) *
                 (device_.capability > kNewestFitted ? kNewer : 1);
  Interval interval = table_.IntervalOf(WorkFamilyWord(work.family));
  if (work.family == WorkFamily::kTensorProduct) {
    interval = Wider(interval, TensorSpread(table_, work, device_));
    widen = forecast.extrapolated ? kExtrapolated : 1;
  }
  SetInterval(interval, widen, RooflineMs(work, rates), forecast);
  return forecast;
}

KernelCarrier::KernelCarrier(const ForecastTable& table, const Device& source, const Device& target)
    : interval_(table.IntervalOf("transfer")), is_same_(IsSameDevice(source, target)) {
  for (size_t i = 0; i < from_.size(); ++i) {
    from_[i] = RatesOf(source, static_cast<NumberType>(i));
    to_[i] = RatesOf(target, static_cast<NumberType>(i));
  }
}

KernelForecast KernelCarrier::operator()(const MeasuredKernel& kernel) const {
  KernelForecast forecast;
  forecast.ms = forecast.low_ms = forecast.high_ms = kernel.ms;
  const DeviceRates& from = this->from(kernel.type);
  const DeviceRates& to = to_[static_cast<size_t>(kernel.type)];
  const bool known = kernel.flop > 0 || kernel.bytes > 0;
  const double floor_ms = std::min(kernel.ms, kernel.floor_ms);
  const double memory_share = std::clamp(kernel.memory_share, 0.0, 1.0);
  const auto set_bound = [&] {
    const LimitTimes limits =
        known ? LimitsOf(kernel, to) : LimitTimes{1 - memory_share, memory_share};
    forecast.bound = BoundOf(floor_ms, forecast.ms, limits.compute, limits.memory);
  };
  set_bound();
  if (is_same_) return forecast;
  double scale = 1;
  if (known) {
    scale = LimitsOf(kernel, to).Both() / LimitsOf(kernel, from).Both();
    // If memory needs less time for the bytes than the kernel took, memory is not the only limit.
    // The time then scales with a mix of the memory rate and the arithmetic rate.
    const double busy =
        kernel.flop > 0 ? 1 : LimitsOf(kernel, from).memory * 1e3 / (kernel.ms - floor_ms);
    if (busy < kBusyMemory) {
      const double part = std::max(0.0, (busy - kIdleMemory) / (kBusyMemory - kIdleMemory));
      scale = std::pow(scale, part) * std::pow(from.flops / to.flops, 1 - part);
      scale = std::max(scale, busy * LimitsOf(kernel, to).memory / LimitsOf(kernel, from).memory);
    }
  } else {
    scale = std::pow(from.flops / to.flops, 1 - memory_share) *
            std::pow(from.bytes / to.bytes, memory_share);
  }
  forecast.ms = floor_ms + (kernel.ms - floor_ms) * scale;
  set_bound();
  const bool told = known || kernel.mixed;
  const double widen = (from.measured && to.measured ? 1 : kUnmeasured) * (told ? 1 : kUnknownWork);
  SetInterval(interval_, widen, 0, forecast);
  return forecast;
}

double StreamedBytes(double ms, const DeviceRates& rates) {
  const double at_rate = ms * 1e-3 * rates.bytes, cached = rates.l2_bytes / 2;
  return at_rate * kL2Speed <= cached ? at_rate * kL2Speed : at_rate + cached * (1 - 1 / kL2Speed);
}

KernelForecast TransferKernel(const ForecastTable& table, const MeasuredKernel& kernel,
                              const Device& source, const Device& target) {
  return KernelCarrier(table, source, target)(kernel);
}

}  // namespace gprofx::forecast
