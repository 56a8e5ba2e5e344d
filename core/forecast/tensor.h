// Products on tensor cores: measured times of the same shape on another device, carried over.
//
// A table holds the times of tens of thousands of shapes on a few devices; a shape between its
// points is interpolated. What a shape loses (tiles that do not fit, too few of them, unaligned
// sizes) is largely the same on the next device, and so is not modelled but carried. Pure; any
// thread.
#pragma once

#include "core/forecast/device/device.h"
#include "core/forecast/device/table.h"
#include "core/forecast/work.h"

namespace gprofx::forecast {

// Of a launch in a replayed graph: the same everywhere.
inline constexpr double kTensorFloorMs = 1.6e-3;

// Microseconds of a shape on the device of `grid`, interpolated; beyond the grid in proportion to
// the work.
double GridUs(const ForecastTable& table, const TensorGrid& grid, double m, double n, double k);

// Of `source`, whose times `grid` has, carried over to `device`.
double CarryTensorProductMs(const ForecastTable& table, const TensorGrid& grid,
                            const Device& source, const KernelWork& work, const Device& device);

// How far such a forecast is off, against one that was carried to another generation: little on a
// device that was measured itself, less than half where only the memory is another.
double TensorSpread(const ForecastTable& table, const KernelWork& work, const Device& device);

// From the nearest device that was measured; of a measured device its own time.
double TensorProductMs(const ForecastTable& table, const KernelWork& work, const Device& device);

}  // namespace gprofx::forecast
