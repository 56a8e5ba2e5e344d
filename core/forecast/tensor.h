// Forecasts products on tensor cores. The time of a shape is derived from the measured time of the
// same shape on another device.
//
// A table holds the times of tens of thousands of shapes on a few devices; other shapes are
// interpolated. A shape takes longer than the device's limits because tiles do not fit, are too
// few, or sizes are not aligned. This loss is largely the same on every device, so it is taken from
// the measurement instead of a model. Pure; any thread.
#pragma once

#include "core/forecast/device/device.h"
#include "core/forecast/device/table.h"
#include "core/forecast/work.h"

namespace gprofx::forecast {

// Minimum time of a kernel launch in a replayed CUDA graph, ms; the same on all devices.
inline constexpr double kTensorFloorMs = 1.6e-3;

// Returns the interpolated microseconds of a shape on the device of `grid`. Outside of the grid,
// the time is proportional to the work.
double GridUs(const ForecastTable& table, const TensorGrid& grid, double m, double n, double k);

// Returns the milliseconds of `work` on `device`, scaled from the times of `grid`, which were
// measured on `source`.
double CarryTensorProductMs(const ForecastTable& table, const TensorGrid& grid,
                            const Device& source, const KernelWork& work, const Device& device);

// Returns the relative uncertainty of a forecast by TensorProductMs(). It is 1 for a device of
// another generation than the measured ones, less than 0.5 if only the memory differs, and small
// for a measured device.
double TensorSpread(const ForecastTable& table, const KernelWork& work, const Device& device);

// Returns the milliseconds of `work` on `device`: from its own times if it was measured, otherwise
// from the most similar measured device.
double TensorProductMs(const ForecastTable& table, const KernelWork& work, const Device& device);

}  // namespace gprofx::forecast
