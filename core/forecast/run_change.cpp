#include "core/forecast/run_change.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace gprofx::forecast {
namespace {

constexpr double kBatchSpread = 1.1, kTypeSpread = 1.2;
constexpr double kFull = 0.75;  // fraction of all multiprocessors

struct TypeWord {
  std::string_view word;
  NumberType type;
  // Bytes of an activation; FP8 applies to products only, so activations stay bfloat16.
  double bytes;
};
constexpr TypeWord kTypes[] = {
    {"f32", NumberType::kFp32, 4}, {"bf16", NumberType::kBf16, 2}, {"fp8", NumberType::kFp8, 2}};

double ElementBytes(NumberType type) {
  for (const TypeWord& row : kTypes) {
    if (row.type == type) return row.bytes;
  }
  return 2;
}

// Returns the type of the elements that a kernel streams, from its short name; nullopt for integers
// and unknown types.
std::optional<NumberType> StreamedType(std::string_view name) {
  const std::string_view word = name.substr(name.rfind(' ') + 1);
  if (word == "f32") return NumberType::kFp32;
  if (word == "bf16" || word == "f16") return NumberType::kBf16;
  return std::nullopt;
}

void Scale(double factor, ChangedKernel& out) {
  MeasuredKernel& kernel = out.kernel;
  kernel.ms = kernel.floor_ms + (kernel.ms - kernel.floor_ms) * factor;
}

// Returns the factor of the time of a kernel that gets `factor` times as many blocks, some of which
// run on idle multiprocessors. Returns `factor` itself for a product with nearly one block per
// multiprocessor: this is a persistent kernel, whose number of blocks does not depend on its work.
double Fuller(double blocks, double factor, bool product, double sms) {
  if (blocks <= 0 || (product && blocks >= kFull * sms)) return factor;
  return std::max(1.0, blocks * factor / sms) / std::max(1.0, blocks / sms);
}

void ScaleBatch(double factor, bool product, double sms, ChangedKernel& out) {
  const double fuller = Fuller(out.blocks, factor, product, sms);
  const double by = product ? (fuller + factor) / 2 : fuller;
  Scale(by, out);
  out.kernel.flop *= factor;
  out.kernel.bytes *= factor;
  out.work *= factor;
  out.blocks *= factor;
  out.low *= std::min(fuller, factor) / by / kBatchSpread;
  out.high *= std::max(fuller, factor) / by * kBatchSpread;
}

// Returns the time of a product relative to bfloat16. At a lower rate, a product reaches a larger
// fraction of the rate: measured for FP32 with a GPT-2 and a ResNet-50 on an H200. FP8 needs
// quantisation; with it, products of 0.1 to 10 ms on an H100 are 1.25 to 1.41 times as fast as in
// bfloat16 (public tables of aiconfigurator).
double ProductTime(NumberType type, bool tf32, const Device& device) {
  constexpr double kOfRates = 0.935, kFp8 = 0.72;
  if (type == NumberType::kFp8) return kFp8;
  if (tf32) return std::pow(2, kOfRates);
  return std::pow(RatesOf(device, NumberType::kBf16).flops / RatesOf(device, type).flops, kOfRates);
}

}  // namespace

std::optional<NumberType> NumberTypeOf(std::string_view word) {
  for (const TypeWord& row : kTypes) {
    if (row.word == word) return row.type;
  }
  return std::nullopt;
}

std::string_view NumberTypeWord(NumberType type) {
  for (const TypeWord& row : kTypes) {
    if (row.type == type) return row.word;
  }
  return "fp4";
}

bool HasProducts(const Device& device, NumberType type) {
  if (type == NumberType::kFp32) return device.fp32 > 0;
  return (type == NumberType::kBf16 ? device.bf16 : device.fp8) > 0;
}

ChangedKernel Changed(const MeasuredKernel& kernel, const RecordedKernel& what, double blocks,
                      bool scales, const RunChange& change, const Device& device) {
  ChangedKernel out;
  out.kernel = kernel;
  out.blocks = blocks;
  out.kernel.floor_ms = std::min(kernel.floor_ms, kernel.ms);
  const bool product = what.computes || kernel.flop > 0;
  if (change.batch != 1 && scales) ScaleBatch(change.batch, product, device.sms, out);
  if (!change.type) return out;
  if (product && (kernel.type != *change.type || what.tf32)) {
    Scale(ProductTime(*change.type, false, device) / ProductTime(kernel.type, what.tf32, device),
          out);
    // The time of FP8 was measured relative to bfloat16, so scale it to other devices as bfloat16.
    out.kernel.type = *change.type == NumberType::kFp8 ? NumberType::kBf16 : *change.type;
    out.kernel.bytes *= ElementBytes(*change.type) / (what.tf32 ? 4 : ElementBytes(kernel.type));
    out.low /= kTypeSpread;
    out.high *= kTypeSpread;
  } else if (const auto streamed = StreamedType(what.name); what.streams && streamed) {
    const double smaller = ElementBytes(*change.type) / ElementBytes(*streamed);
    if (smaller == 1) return out;
    Scale(smaller, out);
    out.work *= smaller;
    out.low /= kBatchSpread;
    out.high *= kBatchSpread;
  }
  return out;
}

}  // namespace gprofx::forecast
