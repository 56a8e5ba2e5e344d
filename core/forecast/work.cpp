#include "core/forecast/work.h"

#include <array>
#include <iterator>

#include "core/base/text.h"

namespace gprofx::forecast {
namespace {

constexpr std::array<std::string_view, kWorkFamilies> kWords = {
    "linear", "bmm", "elementwise", "softmax", "ln", "copy", "gemm"};

}  // namespace

std::string_view WorkFamilyWord(WorkFamily family) { return kWords[static_cast<size_t>(family)]; }

std::optional<WorkFamily> ParseWorkFamily(std::string_view word) {
  const std::string text = AsciiLower(word);
  for (size_t i = 0; i < kWords.size(); ++i) {
    if (text == kWords[i]) return static_cast<WorkFamily>(i);
  }
  if (text == "elem" || text == "vec") return WorkFamily::kElementwise;
  if (text == "layernorm" || text == "layer_norm" || text == "norm" || text == "vecln") {
    return WorkFamily::kNorm;
  }
  if (text == "vecsoftmax") return WorkFamily::kSoftmax;
  if (text == "mem") return WorkFamily::kCopy;
  return std::nullopt;
}

double BytesOf(NumberType type) {
  constexpr std::array<double, 4> kBytes = {4, 2, 1, 0.5};
  return kBytes[static_cast<size_t>(type)];
}

std::optional<NumberType> ParseNumberType(std::string_view word) {
  const std::string text = AsciiLower(word);
  struct Spelling {
    std::string_view word;
    NumberType type;
  };
  constexpr Spelling kSpellings[] = {
      {"float32", NumberType::kFp32},  {"fp32", NumberType::kFp32}, {"float", NumberType::kFp32},
      {"bfloat16", NumberType::kBf16}, {"bf16", NumberType::kBf16}, {"float16", NumberType::kBf16},
      {"fp16", NumberType::kBf16},     {"half", NumberType::kBf16}, {"fp8", NumberType::kFp8},
      {"fp8_block", NumberType::kFp8}, {"int8", NumberType::kFp8},  {"float8", NumberType::kFp8},
      {"e4m3", NumberType::kFp8},      {"nvfp4", NumberType::kFp4}, {"fp4", NumberType::kFp4},
  };
  for (const Spelling& spelling : kSpellings) {
    if (text == spelling.word) return spelling.type;
  }
  return std::nullopt;
}

double KernelWork::Flop() const {
  if (IsProduct()) return 2 * b * m * n * k;
  return family == WorkFamily::kCopy ? 0 : flop_per_element * m * k;
}

double KernelWork::Bytes() const {
  const double size = BytesOf(type);
  if (IsProduct()) {
    // Products of types narrower than FP32 have bfloat16 outputs.
    const double out = type == NumberType::kFp32 ? size : 2;
    return b * (size * (m * n + n * k) + out * m * k);
  }
  if (family == WorkFamily::kCopy) return size * k;
  return size * m * k * (inputs + 1);
}

KernelWork ProductWork(WorkFamily family, NumberType type, double b, double m, double n, double k) {
  KernelWork work;
  work.family = family;
  work.type = type;
  work.b = b;
  work.m = m;
  work.n = n;
  work.k = k;
  return work;
}

KernelWork ElementwiseWork(std::string_view op, double rows, double length) {
  KernelWork work;
  work.family = WorkFamily::kElementwise;
  work.m = rows;
  work.k = length;
  const std::string name = AsciiLower(op);
  for (const std::string_view two : {"add", "mul", "div", "sub", "pow"}) {
    if (name == two) work.inputs = 2;
  }
  return work;
}

KernelWork RowWork(WorkFamily family, double rows, double length) {
  KernelWork work;
  work.family = family;
  work.m = rows;
  work.k = length;
  work.flop_per_element = family == WorkFamily::kNorm ? 6 : 5;
  return work;
}

KernelWork CopyWork(double elements) {
  KernelWork work;
  work.k = elements;
  return work;
}

}  // namespace gprofx::forecast
