// Forecasts the time of a kernel on the same device with another batch size or number type than
// recorded.
//
// A change of the batch multiplies the work of the forward and backward passes: their kernels get
// as many times more blocks. The work of optimizer, collectives and memsets does not change. Blocks
// that run on idle multiprocessors cost no time. For products with few blocks, it is unknown
// whether a larger batch adds rows (more blocks) or extends the reduction (longer blocks). The
// forecast is the mean of both cases, and the interval contains both.
//
// With another number type, products run at the rate of that type. Kernels that stream floats of
// the recorded type scale with the size of the elements. The host's time does not change. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/forecast/kernel.h"
#include "core/forecast/recorded_kernels.h"

namespace gprofx::forecast {

struct RunChange {
  double batch = 1;                // factor on the recorded batch size
  std::optional<NumberType> type;  // number type of the model's tensors and products

  bool any() const { return batch != 1 || type.has_value(); }
};

struct ChangedKernel {
  MeasuredKernel kernel;
  double blocks = 0;         // number of blocks after the change; 0 = unknown
  double low = 1, high = 1;  // factors on the ends of the interval
  double work = 1;           // factor on the bytes
};

// Returns `kernel` after the change. `what` is the recorded kernel that it belongs to. `blocks` is
// the number of blocks of its launch, or 0 if unknown. `scales` is true if its work grows with the
// batch. `device` is the device of the recording.
ChangedKernel Changed(const MeasuredKernel& kernel, const RecordedKernel& what, double blocks,
                      bool scales, const RunChange& change, const Device& device);

// Parses a number type as device tables name it: "f32", "bf16", "fp8".
std::optional<NumberType> NumberTypeOf(std::string_view word);
std::string_view NumberTypeWord(NumberType type);
// True if the device supports products of the type. If not, RatesOf() returns the rate of the next
// wider type.
bool HasProducts(const Device& device, NumberType type);

}  // namespace gprofx::forecast
