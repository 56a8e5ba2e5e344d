// How long a collective takes: measured curves over message size for an operation and a number of
// GPUs, carried over by the links' bandwidth, with a ring's formula for numbers that were not
// measured. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "core/forecast/device/device.h"
#include "core/forecast/device/table.h"

namespace gprofx::forecast {

struct CollectiveForecast {
  double ms = 0;
  double spread = 1;          // how far it may be off, against one of other links
  bool known = true;          // an operation that was measured
  bool extrapolated = false;  // a size or number of GPUs outside of the measurements
};

// `bytes`: the whole buffer, as nccl-tests count it. `operation`: all_reduce, all_gather,
// reduce_scatter, alltoall, send.
CollectiveForecast ForecastCollective(const ForecastTable& table, const Device& device,
                                      std::string_view operation, int gpus, double bytes);

// What to say where `gpus` are more than the links of a node join: their times are those of the
// links all the same. "" where they are not, or where nobody knows how many it joins.
std::string BeyondNodeNote(const Device& device, double gpus);

}  // namespace gprofx::forecast
