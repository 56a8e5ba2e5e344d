#include "core/kernels/launch_work.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "core/kernels/kernel_family.h"
#include "core/kernels/kernel_family_parts.h"
#include "core/kernels/kernel_names.h"

namespace gprofx {
namespace {

constexpr std::string_view kVectorized = "vectorized_elementwise_kernel<";
constexpr std::string_view kElementwiseKernel = "elementwise_kernel";
// Longer names are not analysed. They are not names of kernels, and searching them repeatedly is
// slow.
constexpr size_t kLongestAnalysed = 8192;
constexpr int64_t kMaxBytes = 16;  // maximum size of an element: two doubles

int64_t NumberAt(std::string_view text, size_t at) {
  while (at < text.size() && text[at] == ' ') ++at;
  // Nsight writes numbers as "(int)4".
  if (text.substr(std::min(at, text.size())).starts_with("(int)")) at += 5;
  int64_t number = 0;
  if (at < text.size()) std::from_chars(text.data() + at, text.data() + text.size(), number);
  return number;
}

int64_t SizeOf(std::string_view type) {
  if (type == "bool") return 1;
  if (type == "tf32") return 4;
  const size_t digits = type.find_first_of("0123456789");
  if (type.starts_with("e4m3") || type.starts_with("e5m2")) return 1;
  if (digits == std::string_view::npos) return 0;
  const int64_t bits = NumberAt(type, digits);
  const int64_t bytes = type.ends_with('B') ? bits : bits % 8 == 0 ? bits / 8 : 0;
  return bytes <= kMaxBytes ? bytes : 0;
}

// Returns the number of tensors of a kernel with these template arguments: 3 for "std::array<char*,
// 3ul>". 0 if unknown.
int64_t Tensors(std::string_view arguments) {
  for (const std::string_view array : {"array<char*,", "Array<char*,", "array<char *,"}) {
    const size_t at = arguments.find(array);
    if (at != std::string_view::npos) return NumberAt(arguments, at + array.size());
  }
  return 0;
}

// Returns the elements per thread of an unrolled kernel: the template argument after the array.
// Older kernels do not have this argument and use 4.
int64_t Unrolled(std::string_view arguments) {
  const size_t array = arguments.find("rray<char*");
  const size_t end = array == std::string_view::npos ? array : arguments.find(">, ", array);
  const int64_t number = end == std::string_view::npos ? 0 : NumberAt(arguments, end + 3);
  return number > 0 && number <= 64 ? number : 4;
}

// Returns the types of a functor's input tensors, followed by the type of its output. In
// BinaryFunctor, all arguments are tensors. The other functors have a scalar argument, which is
// left out.
std::optional<std::vector<std::string>> FunctorTypes(std::string_view arguments) {
  for (const std::string_view functor : {"AUnaryFunctor<", "BUnaryFunctor<", "BinaryFunctor<"}) {
    const size_t at = arguments.find(functor);
    if (at == std::string_view::npos) continue;
    std::vector<std::string> types = LeadingTypes(Inside(arguments, at + functor.size() - 1));
    if (types.size() < 3) return std::nullopt;
    types.resize(3);
    if (functor[0] == 'A') types.erase(types.begin());
    if (functor.starts_with("BU")) types.erase(types.begin() + 1);
    return types;
  }
  return std::nullopt;
}

// Returns the parameter types of the innermost lambda, followed by its result type. The name does
// not contain the result type, so it is guessed from `what`, the kernel's short name: the target
// type of a conversion, bool for a comparison, otherwise the type of the last parameter.
std::vector<std::string> LambdaTypes(std::string_view arguments, std::string_view what) {
  constexpr std::string_view kLambda = "{lambda(";
  size_t at = std::string_view::npos;
  for (size_t i = arguments.find(kLambda); i != std::string_view::npos;
       i = arguments.find(kLambda, i + 1)) {
    if (!LeadingTypes(Inside(arguments, i + kLambda.size() - 1)).empty()) at = i;
  }
  if (at == std::string_view::npos) return {};
  std::vector<std::string> types = LeadingTypes(Inside(arguments, at + kLambda.size() - 1));
  std::string out = types.back();
  const size_t arrow = what.find('>');
  if (arrow != std::string_view::npos) {
    out = what.substr(arrow + 1);
  } else if (what.starts_with("is") || what.starts_with("logical")) {
    out = "bool";
  }
  types.push_back(std::move(out));
  return types;
}

// Returns the bytes per element that are read and written; 0 = unknown.
int64_t ElementBytes(std::string_view arguments, const std::string& what) {
  if (arguments.find("WithCast") != std::string_view::npos) return 0;  // known only at run time
  const int64_t tensors = Tensors(arguments);
  std::vector<std::string> types;
  if (auto functor = FunctorTypes(arguments)) {
    types = std::move(*functor);
  } else if (types = LambdaTypes(arguments, what); types.empty()) {
    const size_t space = what.rfind(' ');  // CUDAFunctor_add<float>, FillFunctor<float>
    if (space == std::string::npos || what.find('>') != std::string::npos) return 0;
    types.assign(static_cast<size_t>(std::clamp<int64_t>(tensors, 0, 8)), what.substr(space + 1));
  }
  if (tensors <= 0 || static_cast<size_t>(tensors) != types.size()) return 0;
  int64_t bytes = 0;
  for (const std::string& type : types) {
    const int64_t size = SizeOf(type);
    if (size == 0) return 0;
    bytes += size;
  }
  return bytes;
}

const char* WhyNot(KernelFamily family) {
  switch (family) {
    case KernelFamily::kGemm:
      return "the depth of the product";
    case KernelFamily::kConvolution:
      return "the sizes of image and filter";
    case KernelFamily::kAttention:
      return "the length of the keys";
    case KernelFamily::kReduction:
    case KernelFamily::kSoftmax:
    case KernelFamily::kNorm:
    case KernelFamily::kLoss:
      return "the length of the rows";
    case KernelFamily::kCollective:
      return "the size of the message";
    case KernelFamily::kFused:
      return "the size of a block's work";
    case KernelFamily::kOptimizer:
      return "the sizes of the tensors";
    default:
      return "the size of the work";
  }
}

struct Elements {
  // Elements per thread, or elements per block. Only one of them is known; the other is 0.
  int64_t thread = 0, block = 0;
  bool contiguous = true;  // false: broadcast operands are possible, which are read once

  int64_t each_block(const GpuKernelConfig& config) const {
    if (block != 0) return block;
    return config.block[0] <= 1024 ? thread * config.block[0] : 0;
  }
};

Elements ElementsOf(std::string_view name, std::string_view arguments, ThreadWork work) {
  const auto has = [&](std::string_view part) {
    return arguments.find(part) != std::string_view::npos;
  };
  if (name.starts_with("vectorized_")) {
    if (work == ThreadWork::kUnknown) return {};
    const bool byte = Tensors(arguments) == 1 && SizeOf(MainType(arguments)) == 1;
    return {work == ThreadWork::kFour ? 4 : byte ? 16 : 8};
  }
  if (name.starts_with("unrolled_")) {
    return {Unrolled(arguments), 0, !has(" OffsetCalculator<") && !has(":OffsetCalculator<")};
  }
  // The template arguments are the number of threads and the elements of each:
  // elementwise_kernel<128, 4, ...>.
  const size_t comma = arguments.find(',');
  const bool known = name == "elementwise_kernel" || name == "elementwise_kernel_manual_unroll";
  if (!known || comma == std::string_view::npos) return {};
  const int64_t threads = NumberAt(arguments, 0), each = NumberAt(arguments, comma + 1);
  if (threads <= 0 || threads > 1024 || each <= 0 || each > 64) return {};
  return {0, threads * each, false};
}

}  // namespace

ThreadWork ThreadWorkOf(std::span<const std::string_view> kernels) {
  ThreadWork found = ThreadWork::kUnknown;
  for (const std::string_view kernel : kernels) {
    if (kernel.starts_with("Cijk_") || kernel.starts_with("__amd_")) return ThreadWork::kUnknown;
  }
  for (const std::string_view kernel : kernels) {
    const size_t at = kernel.find(kVectorized);
    if (at == std::string_view::npos) continue;
    const int64_t vector = NumberAt(kernel, at + kVectorized.size());
    if (vector > 4) return ThreadWork::kEight;
    if (vector != 4) continue;
    const std::string what = ShortKernelName(kernel);
    const std::string_view out = std::string_view(what).substr(what.find_last_of(" >") + 1);
    if (SizeOf(out) == 2) found = ThreadWork::kFour;
  }
  return found;
}

LaunchWork WorkOfLaunch(std::string_view kernel, const GpuKernelConfig& config, ThreadWork work) {
  if (kernel.size() > kLongestAnalysed) return {{}, {}, "a name of reasonable length"};
  const KernelWhat what = WhatKernelDoes(kernel);
  const bool moves = what.family == KernelFamily::kCopy || what.family == KernelFamily::kFill;
  const size_t at = kernel.find(kElementwiseKernel);
  const size_t open = at == std::string_view::npos ? at : kernel.find('<', at);
  if (open == std::string_view::npos || (!moves && what.family != KernelFamily::kElementwise)) {
    return {{}, {}, WhyNot(what.family)};
  }
  const std::string_view name = KernelBaseName(kernel), arguments = Inside(kernel, open);
  const Elements elements = ElementsOf(name, arguments, work);
  if (elements.each_block(config) == 0) return {{}, {}, "the elements of a thread"};
  if (config.grid[0] < kMinBlocks || config.grid[1] != 1 || config.grid[2] != 1) {
    return {{}, {}, "the elements of so few blocks"};
  }
  const int64_t all = int64_t{config.grid[0]} * elements.each_block(config);
  const int64_t flop = moves ? 0 : all;
  if (!elements.contiguous) return {flop, {}, "whether operands repeat", all};
  const int64_t bytes = ElementBytes(arguments, what.what);
  if (bytes == 0) return {flop, {}, "the tensors' types", all};
  return {flop, all * bytes, "", all};
}

}  // namespace gprofx
