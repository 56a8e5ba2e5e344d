// Products on tensor cores: measured times of the same shape on another device, carried over.
//
// A table holds the times of tens of thousands of shapes on a few devices; shapes between its
// points are interpolated. What a shape loses (tiles that do not fit, too few of them, unaligned
// sizes) is largely the same on the next device, so it is carried over and not modelled. Pure; any
// thread.
#pragma once

#include "core/forecast/device/device.h"
#include "core/forecast/device/table.h"
#include "core/forecast/work.h"

namespace gprofx::forecast {

// Floor of a launch in a replayed graph, the same on all devices.
inline constexpr double kTensorFloorMs = 1.6e-3;

// Interpolated microseconds of a shape on the device of `grid`; beyond the grid, proportional to
// the work.
double GridUs(const ForecastTable& table, const TensorGrid& grid, double m, double n, double k);

// Carries times of `grid`, measured on `source`, over to `device`.
double CarryTensorProductMs(const ForecastTable& table, const TensorGrid& grid,
                            const Device& source, const KernelWork& work, const Device& device);

// Uncertainty of such a forecast, relative to one carried to another generation: small on a device
// that was measured itself, less than half if only the memory differs.
double TensorSpread(const ForecastTable& table, const KernelWork& work, const Device& device);

// Uses the nearest measured device; for a measured device, its own time.
double TensorProductMs(const ForecastTable& table, const KernelWork& work, const Device& device);

}  // namespace gprofx::forecast
