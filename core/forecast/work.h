// Describes the work of one kernel: what it computes and how many bytes it moves. The shape of the
// operator determines both.
//
// Products: out[b,m,k] = in[b,m,n] x w[b,n,k]; n is the reduction. Row-wise work (elementwise,
// softmax, normalisation): `m` rows of length `k`. Copies: `m` is 1, and `k` is the number of
// elements read plus written. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/forecast/device/device.h"

namespace gprofx::forecast {

enum class WorkFamily : uint8_t {
  kLinear,
  kBatchedProduct,
  kElementwise,
  kSoftmax,
  kNorm,
  kCopy,
  kTensorProduct,  // a product on tensor cores
};
inline constexpr size_t kWorkFamilies = 7;

// Returns the name of a family: "linear", "bmm", "elementwise", "softmax", "ln", "copy" or "gemm".
std::string_view WorkFamilyWord(WorkFamily family);
std::optional<WorkFamily> ParseWorkFamily(std::string_view word);

struct KernelWork {
  WorkFamily family = WorkFamily::kCopy;
  NumberType type = NumberType::kFp32;
  double b = 1, m = 1, n = 1, k = 1;
  // Elementwise work: number of tensors read. A broadcast tensor counts as a fraction.
  double inputs = 1;
  // Number of elements of a broadcast input, which is smaller than the output; 0 = none.
  double broadcast = 0;
  double flop_per_element = 1;

  bool IsProduct() const {
    return family == WorkFamily::kLinear || family == WorkFamily::kBatchedProduct ||
           family == WorkFamily::kTensorProduct;
  }
  double Flop() const;
  double Bytes() const;  // minimum number of bytes read and written
};

KernelWork ProductWork(WorkFamily family, NumberType type, double b, double m, double n, double k);
// Returns elementwise work. The operations add, mul, div, sub and pow read two tensors. All others,
// and these with a trailing u, read one.
KernelWork ElementwiseWork(std::string_view op, double rows, double length);
KernelWork RowWork(WorkFamily family, double rows, double length);  // softmax, normalisation
KernelWork CopyWork(double elements);

std::optional<NumberType> ParseNumberType(std::string_view word);  // "bfloat16", "fp8", ...
double BytesOf(NumberType type);

}  // namespace gprofx::forecast
