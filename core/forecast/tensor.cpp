#include "core/forecast/tensor.h"

#include <algorithm>
#include <cmath>

#include "core/forecast/models.h"

namespace gprofx {
namespace {

constexpr double kFloorUs = 2.2;

struct AxisPlace {
  size_t below = 0;
  double part = 0;     // of the way to the next point
  double beyond = 1;   // size over the last point, where it lies outside
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

// The device whose measurements are carried over: the same, the same class, the nearest in peak.
const TensorGrid* SourceGrid(const ForecastTable& table, const Device& device, NumberType type) {
  const TensorGrid* best = nullptr;
  double nearest = INFINITY;
  for (const TensorGrid& grid : table.grids) {
    const Result<const Device*> source = FindDevice(BuiltInDevices(), grid.device);
    if (!source) continue;
    double distance =
        std::abs(std::log(PeakFlops(**source, type) / PeakFlops(device, type))) +
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

}  // namespace

double GridUs(const ForecastTable& table, const TensorGrid& grid, double m, double n, double k) {
  const auto& axes = table.axes;
  const AxisPlace on[3] = {PlaceOn(axes[0], m), PlaceOn(axes[1], n), PlaceOn(axes[2], k)};
  double log_sum = 0, weights = 0;
  for (int corner = 0; corner < 8; ++corner) {
    double weight = 1;
    size_t index = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const bool above = (corner >> axis & 1) != 0;
      weight *= above ? on[axis].part : 1 - on[axis].part;
      const size_t place = std::min(on[axis].below + (above ? 1 : 0), axes[axis].size() - 1);
      index = index * axes[axis].size() + place;
    }
    if (weight <= 0 || grid.steps[index] == kNoTime) continue;
    log_sum += weight * grid.steps[index];
    weights += weight;
  }
  if (weights == 0) return 0;
  const double us = kGridLeastUs * std::pow(kGridStep, log_sum / weights);
  return us * on[0].beyond * on[1].beyond * on[2].beyond;
}

double TensorProductMs(const ForecastTable& table, const KernelWork& work, const Device& device) {
  const DeviceRates to = RatesOf(device, work.type);
  const TensorGrid* grid = SourceGrid(table, device, work.type);
  if (grid == nullptr) return RooflineMs(work, to) / 0.7 + kFloorUs * 1e-3;
  const Result<const Device*> source = FindDevice(BuiltInDevices(), grid->device);
  KernelWork there = work;
  there.type = grid->type;
  const DeviceRates from = RatesOf(**source, grid->type);
  const double us = GridUs(table, *grid, work.m * work.b, work.k, work.n);
  if (us == 0) return RooflineMs(work, to) / 0.7 + kFloorUs * 1e-3;
  const double scale = RooflineMs(work, to) / RooflineMs(there, from);
  const double floor_us = std::min(kFloorUs, us);
  return (floor_us + (us - floor_us) * scale) * 1e-3;
}

}  // namespace gprofx
