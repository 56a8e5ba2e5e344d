// The time of a collective. It is read from measured curves: time over message size, for each
// operation and number of GPUs. A curve is scaled to another device by the ratio of link
// bandwidths, and to a number of GPUs that was not measured by the formula of a ring. Pure; any
// thread.
#pragma once

#include <string>
#include <string_view>

#include "core/forecast/device/device.h"
#include "core/forecast/device/table.h"

namespace gprofx::forecast {

struct CollectiveForecast {
  double ms = 0;
  double spread = 1;          // uncertainty; 1 = as for links or numbers of GPUs not measured
  bool known = true;          // the operation was measured
  bool extrapolated = false;  // size or number of GPUs outside of the measurements
};

// `bytes`: the whole buffer, as nccl-tests count it. `operation`: all_reduce, all_gather,
// reduce_scatter, alltoall, send.
CollectiveForecast ForecastCollective(const ForecastTable& table, const Device& device,
                                      std::string_view operation, int gpus, double bytes);

// Returns a note if `gpus` exceeds the GPUs that a node's links join: the forecast still uses the
// speed of the links. "" otherwise, or if the size of the node is unknown.
std::string BeyondNodeNote(const Device& device, double gpus);

}  // namespace gprofx::forecast
