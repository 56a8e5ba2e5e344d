#include "core/forecast/tensor.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/forecast/models.h"

namespace gprofx::forecast {
namespace {

// Constants for scaling from one device to another, chosen such that A100 and H100 predict each
// other best.
constexpr double kFloorUs = kTensorFloorMs * 1e3;
constexpr double kLimitShare = 0.5;  // how near to the device's limits a kernel counts as limited
// Exponent of the ratio of SM clocks, for kernels far from the limits.
constexpr double kLatency = 1.5;
constexpr double kCachedL2 = 0.2, kTensorL2Speed = 1.75;
// Exponent for overlapping arithmetic and memory: 1 = no overlap.
constexpr double kTogether = 2.5;
constexpr double kNeighbours = 0.5;  // weight of a neighbouring shape relative to the shape itself

struct AxisPlace {
  size_t below = 0;
  double part = 0;    // fraction of the way to the next point
  double beyond = 1;  // if the size is outside: size / last point
};

AxisPlace PlaceOn(const std::vector<double>& axis, double size) {
  AxisPlace place;
  if (size >= axis.back()) {
    place.below = axis.size() - 1;
    place.beyond = size / axis.back();
    return place;
  }
  if (size <= axis.front()) return place;
  const auto above = std::upper_bound(axis.begin(), axis.end(), size);
  place.below = static_cast<size_t>(above - axis.begin()) - 1;
  place.part = std::log(size / axis[place.below]) / std::log(*above / axis[place.below]);
  return place;
}

// Returns the grid of the device that is most similar to `device` in peak FLOP/s and bandwidth.
// Another device class or number type adds a large distance. Returns null if there are no grids.
const TensorGrid* SourceGrid(const ForecastTable& table, const Device& device, NumberType type) {
  const TensorGrid* best = nullptr;
  double nearest = INFINITY;
  for (const TensorGrid& grid : table.grids) {
    const Result<const Device*> source = FindDevice(BuiltInDevices(), grid.device);
    if (!source) continue;
    double distance = std::abs(std::log(PeakFlops(**source, type) / PeakFlops(device, type))) +
                      std::abs(std::log((*source)->bandwidth / device.bandwidth));
    if ((*source)->kind != device.kind) distance += 2;
    if (grid.type != type) distance += 4;
    if (distance < nearest) {
      nearest = distance;
      best = &grid;
    }
  }
  return best;
}

// Returns the value of TensorGrid::steps at one grid point; nullopt if the point is outside of the
// grid or was not measured.
std::optional<double> StepsAt(const ForecastTable& table, const TensorGrid& grid,
                              const long at[3]) {
  size_t index = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const long size = static_cast<long>(table.axes[axis].size());
    if (at[axis] < 0 || at[axis] >= size) return std::nullopt;
    index = index * static_cast<size_t>(size) + static_cast<size_t>(at[axis]);
  }
  if (grid.steps[index] == kNoTime) return std::nullopt;
  return grid.steps[index];
}

// Returns the microseconds that arithmetic and memory need at least at sustained rates.
double LimitUs(const KernelWork& work, const DeviceRates& rates) {
  const double bytes = work.Bytes();
  const double cached = rates.fast_l2 ? std::min(bytes, kCachedL2 * rates.l2_bytes) : 0;
  const double memory = (bytes - cached + cached / kTensorL2Speed) / rates.bytes;
  const double compute = work.Flop() / rates.flops;
  return std::pow(std::pow(compute, kTogether) + std::pow(memory, kTogether), 1 / kTogether) * 1e6;
}

// True if the devices have the same chip with other memory, such as H100 and H200. Memory of `b`
// must not be slower.
bool IsSameChip(const Device& a, const Device& b) {
  return a.sms == b.sms && a.lanes == b.lanes && a.fp32 == b.fp32 && a.bf16 == b.bf16 &&
         a.fp8 == b.fp8 && a.bandwidth <= b.bandwidth;
}

KernelWork WorkAt(const ForecastTable& table, const long at[3], NumberType type) {
  const auto size = [&](int axis) { return table.axes[axis][static_cast<size_t>(at[axis])]; };
  return ProductWork(WorkFamily::kTensorProduct, type, 1, size(0), size(2), size(1));
}

// Returns log(time / LimitUs()) of a grid point, averaged with its neighbours. For a single shape,
// it is a matter of chance which kernel a library picks, and this differs between devices.
std::optional<double> SmoothExcess(const ForecastTable& table, const TensorGrid& grid,
                                   const long at[3], const DeviceRates& from) {
  double sum = 0, weights = 0;
  for (int i = 0; i < 27; ++i) {
    const int step[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
    const long near[3] = {at[0] + step[0], at[1] + step[1], at[2] + step[2]};
    const std::optional<double> steps = StepsAt(table, grid, near);
    if (!steps) continue;
    const int away = std::abs(step[0]) + std::abs(step[1]) + std::abs(step[2]);
    const double weight = std::pow(kNeighbours, away);
    const double us = kGridLeastUs * std::pow(kGridStep, *steps);
    sum += weight * std::log(us / LimitUs(WorkAt(table, near, grid.type), from));
    weights += weight;
  }
  if (weights == 0) return std::nullopt;
  return sum / weights;
}

// Interpolates `value_at` between grid points. Sets `beyond` to how far the shape is outside of the
// grid (1 = inside). Returns nullopt if no neighbouring point has a value.
template <class ValueAt>
std::optional<double> Between(const ForecastTable& table, double m, double n, double k,
                              double& beyond, const ValueAt& value_at) {
  const AxisPlace on[3] = {PlaceOn(table.axes[0], m), PlaceOn(table.axes[1], n),
                           PlaceOn(table.axes[2], k)};
  beyond = on[0].beyond * on[1].beyond * on[2].beyond;
  double sum = 0, weights = 0;
  for (int corner = 0; corner < 8; ++corner) {
    double weight = 1;
    long at[3];
    for (int axis = 0; axis < 3; ++axis) {
      const bool above = (corner >> axis & 1) != 0;
      weight *= above ? on[axis].part : 1 - on[axis].part;
      at[axis] = static_cast<long>(on[axis].below) + (above ? 1 : 0);
    }
    if (weight <= 0) continue;
    const std::optional<double> value = value_at(at);
    if (!value) continue;
    sum += weight * *value;
    weights += weight;
  }
  if (weights == 0) return std::nullopt;
  return sum / weights;
}

}  // namespace

double GridUs(const ForecastTable& table, const TensorGrid& grid, double m, double n, double k) {
  double beyond = 1;
  const std::optional<double> steps =
      Between(table, m, n, k, beyond, [&](const long at[3]) { return StepsAt(table, grid, at); });
  return steps ? kGridLeastUs * std::pow(kGridStep, *steps) * beyond : 0;
}

double CarryTensorProductMs(const ForecastTable& table, const TensorGrid& grid,
                            const Device& source, const KernelWork& work, const Device& device) {
  const DeviceRates to = RatesOf(device, work.type), from = RatesOf(source, grid.type);
  KernelWork there = work;
  there.type = grid.type;
  const double m = work.m * work.b, limit_to = LimitUs(work, to), limit_from = LimitUs(there, from);
  if (IsSameChip(source, device)) {
    // With the same chip, the library picks the same kernels at the same clocks. Only the time for
    // memory changes.
    const double us = GridUs(table, grid, m, work.k, work.n);
    DeviceRates same = from;
    same.bytes = to.bytes;
    const double memory = LimitUs(there, same) - limit_from;
    if (us > 0) return std::max(limit_to, us + std::min(0.0, memory)) * 1e-3;
  }
  double us = 0, beyond = 1;
  const std::optional<double> excess =
      Between(table, m, work.k, work.n, beyond,
              [&](const long at[3]) { return SmoothExcess(table, grid, at, from); });
  if (excess) us = std::exp(*excess) * limit_from;
  if (us <= 0) return kFloorUs * 1e-3 + limit_to * 1e-3;
  const double floor_us = std::min(kFloorUs, 0.98 * us), over = us - floor_us;
  const double limited = std::pow(std::min(1.0, limit_from / over), kLimitShare);
  const double clocks = source.fp32 / source.lanes / (device.fp32 / device.lanes);
  const double scale =
      std::pow(limit_to / limit_from, limited) * std::pow(clocks, kLatency * (1 - limited));
  return (floor_us + over * scale) * 1e-3;
}

double TensorSpread(const ForecastTable& table, const KernelWork& work, const Device& device) {
  constexpr double kMeasured = 0.15, kOtherMemory = 0.4;
  const TensorGrid* grid = SourceGrid(table, device, work.type);
  if (grid == nullptr || grid->type != work.type) return 1.5;
  const Result<const Device*> source = FindDevice(BuiltInDevices(), grid->device);
  if (IsSameDevice(**source, device)) return kMeasured;
  return IsSameChip(**source, device) ? kOtherMemory : 1;
}

double TensorProductMs(const ForecastTable& table, const KernelWork& work, const Device& device) {
  const TensorGrid* grid = SourceGrid(table, device, work.type);
  if (grid == nullptr) {
    return kFloorUs * 1e-3 + LimitUs(work, RatesOf(device, work.type)) * 1e-3;
  }
  const Result<const Device*> source = FindDevice(BuiltInDevices(), grid->device);
  if (IsSameDevice(**source, device) && grid->type == work.type) {
    return GridUs(table, *grid, work.m * work.b, work.k, work.n) * 1e-3;
  }
  return CarryTensorProductMs(table, *grid, **source, work, device);
}

}  // namespace gprofx::forecast
