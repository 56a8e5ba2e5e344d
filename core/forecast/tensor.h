// Products on tensor cores. The time of a shape is forecast from the measured time of the same
// shape on another device.
//
// A table holds the times of tens of thousands of shapes on a few devices; shapes between its
// points are interpolated. The time that a shape loses against the device's limits (tiles that do
// not fit, too few of them, unaligned sizes) is largely the same on every device. It is therefore
// taken from the measurement and not modelled. Pure; any thread.
#pragma once

#include "core/forecast/device/device.h"
#include "core/forecast/device/table.h"
#include "core/forecast/work.h"

namespace gprofx::forecast {

// Floor of a launch in a replayed graph, the same on all devices.
inline constexpr double kTensorFloorMs = 1.6e-3;

// Returns the microseconds of a shape on the device of `grid`, interpolated. Beyond the grid they
// are proportional to the work.
double GridUs(const ForecastTable& table, const TensorGrid& grid, double m, double n, double k);

// Returns the milliseconds of `work` on `device`, from the times of `grid`, which were measured on
// `source`.
double CarryTensorProductMs(const ForecastTable& table, const TensorGrid& grid,
                            const Device& source, const KernelWork& work, const Device& device);

// Returns the uncertainty of a forecast by TensorProductMs(). 1 is that for a device of another
// generation than the measured one. It is small for a device that was measured itself, and less
// than 0.5 if only the memory differs.
double TensorSpread(const ForecastTable& table, const KernelWork& work, const Device& device);

// Returns the milliseconds of `work` on `device`, from the measured device that is most similar; if
// `device` was measured, from its own times.
double TensorProductMs(const ForecastTable& table, const KernelWork& work, const Device& device);

}  // namespace gprofx::forecast
