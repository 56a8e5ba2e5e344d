// Derives the work of a kernel from its name and launch configuration, for recordings without
// shapes.
//
// Known for PyTorch's elementwise kernels (ATen/native/cuda/CUDALoops.cuh): the template determines
// the number of elements per block, and the grid has just as many blocks as needed. The number of
// elements is thus known to within one block; the last block counts as full, and grids of fewer
// than kMinBlocks blocks are not judged. Each element is one operation, or none if it is only
// copied or filled. If tensors are contiguous and the name has their types, bytes count each tensor
// once.
//
// Other kernels are unknown: neither the name nor the configuration has the depth of a product or
// the length of a row or of the keys. `why` says which is missing. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/gpu/gpu.h"

namespace gprofx {

inline constexpr uint32_t kMinBlocks = 16;

struct LaunchWork {
  std::optional<int64_t> flop, bytes;  // bytes only together with FLOP
  const char* why = "";                // what is missing to know both: a phrase
  int64_t elements = 0;                // 0 = unknown
};

// Elements per thread of a vectorized kernel: 4 in PyTorch before 2.7, 8 in later versions. A name
// does not tell which, but other kernels of the program do: vectors of 8 are new, and 2-byte
// elements in vectors of 4 are old. On AMD GPUs, recognized by library names of their own, the
// number depends on the types in other ways and is unknown.
enum class ThreadWork : uint8_t { kUnknown, kFour, kEight };
ThreadWork ThreadWorkOf(std::span<const std::string_view> kernels);

// `kernel`: the full name, demangled.
LaunchWork WorkOfLaunch(std::string_view kernel, const GpuKernelConfig& config, ThreadWork work);

}  // namespace gprofx
