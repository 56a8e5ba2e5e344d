// Forecasts the time of a collective from measured curves. A curve is the time over the message
// size, for one operation and number of GPUs. For another device, the curve is scaled by the ratio
// of the link bandwidths. For a number of GPUs that was not measured, it is scaled by the formula
// of a ring. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "core/forecast/device/device.h"
#include "core/forecast/device/table.h"

namespace gprofx::forecast {

struct CollectiveForecast {
  double ms = 0;
  // Uncertainty of the forecast: 1 if the links or the number of GPUs differ from those of all
  // measurements.
  double spread = 1;
  bool known = true;          // true if the operation was measured
  bool extrapolated = false;  // the size or the number of GPUs exceeds the measurements
};

// Forecasts one collective. `operation` is all_reduce, all_gather, reduce_scatter, alltoall or
// send. `bytes` is the size of the whole buffer, as nccl-tests count it.
CollectiveForecast ForecastCollective(const ForecastTable& table, const Device& device,
                                      std::string_view operation, int gpus, double bytes);

// Returns a note if `gpus` is larger than a node of the device, because the forecast then still
// assumes the speed of the links within a node. Otherwise, or if the size of a node is unknown,
// returns "".
std::string BeyondNodeNote(const Device& device, double gpus);

}  // namespace gprofx::forecast
