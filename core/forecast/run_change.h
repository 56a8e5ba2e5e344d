// The time of a kernel on its own device with another batch or number type than recorded.
//
// Batch: the work of forward and backward passes grows with it, and kernels get as many times more
// blocks. The work of the optimizer, collectives and memsets stays. Blocks that run on idle
// multiprocessors cost no time. For products with few blocks, it is unknown whether a larger batch
// adds rows (more blocks) or extends the reduction (longer blocks). The forecast is the mean of
// both cases, and the interval contains both. Number type: products run at the rate of the other
// type; kernels that stream floats of the recorded type scale with the size of the elements. The
// host's time stays. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/forecast/kernel.h"
#include "core/forecast/recorded_kernels.h"

namespace gprofx::forecast {

struct RunChange {
  double batch = 1;                // factor of the recorded batch
  std::optional<NumberType> type;  // type of the model's tensors and products

  bool any() const { return batch != 1 || type.has_value(); }
};

struct ChangedKernel {
  MeasuredKernel kernel;
  double blocks = 0;         // 0 = unknown
  double low = 1, high = 1;  // factors of the interval's ends
  double work = 1;           // factor of the bytes
};

// Returns `kernel` after the change. `what` is the recorded kernel that it belongs to. `blocks`: of
// its launch; 0 = unknown. `scales`: its work grows with the batch. `device`: the device on which
// it was recorded.
ChangedKernel Changed(const MeasuredKernel& kernel, const RecordedKernel& what, double blocks,
                      bool scales, const RunChange& change, const Device& device);

// "f32", "bf16", "fp8", as devices name them.
std::optional<NumberType> NumberTypeOf(std::string_view word);
std::string_view NumberTypeWord(NumberType type);
// True if the device supports products of the type. Otherwise RatesOf() returns the rate of the
// next wider type.
bool HasProducts(const Device& device, NumberType type);

}  // namespace gprofx::forecast
