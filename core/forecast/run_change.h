// Another batch or number type than the recorded one: what a kernel would take on its own device.
//
// Batch: the work of forward and backward passes grows with it, kernels have so many times the
// blocks; that of the optimizer, collectives and memory that is set stay. Blocks that
// multiprocessors with nothing to do can take cost no time. Of products with few blocks nobody
// tells whether the batch is their rows (more blocks) or their reduction (longer ones): the middle,
// and both are in the interval. Number type: products at the rate of the other type, what streams
// floats of the recorded type by the size of its elements. The time of the host stays. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/forecast/kernel.h"
#include "core/forecast/recorded_kernels.h"

namespace gprofx::forecast {

struct RunChange {
  double batch = 1;                // so many times the recorded one
  std::optional<NumberType> type;  // of the model's tensors and products

  bool any() const { return batch != 1 || type.has_value(); }
};

struct ChangedKernel {
  MeasuredKernel kernel;
  double blocks = 0;         // 0 = unknown
  double low = 1, high = 1;  // of its time, between
  double work = 1;           // so many times the bytes
};

// `scales`: its work grows with the batch. Rates are those of the device that it ran on.
ChangedKernel Changed(const MeasuredKernel& kernel, const RecordedKernel& what, double blocks,
                      bool scales, const RunChange& change, const Device& device);

// "f32", "bf16", "fp8"; as devices name them.
std::optional<NumberType> NumberTypeOf(std::string_view word);
std::string_view NumberTypeWord(NumberType type);
// Whether a device has products of the type; RatesOf() gives that of the next larger one.
bool HasProducts(const Device& device, NumberType type);

}  // namespace gprofx::forecast
