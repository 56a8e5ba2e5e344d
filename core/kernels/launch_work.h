// Derives the work of a kernel from its name and launch configuration. Used for recordings without
// shapes of tensors.
//
// The work of PyTorch's elementwise kernels (ATen/native/cuda/CUDALoops.cuh) can be derived. The
// template determines the number of elements per block, and the grid has just as many blocks as
// needed. The number of elements is thus known to within one block. The last block counts as full,
// and nothing is derived for grids of fewer than kMinBlocks blocks. Each element is one operation,
// or none if it is only copied or filled. If tensors are contiguous and the name contains their
// types, the bytes of each tensor count once.
//
// The work of other kernels is unknown: neither the name nor the configuration contains the depth
// of a product or the length of a row or of the keys. `why` says which is missing. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/gpu/gpu.h"

namespace gprofx {

inline constexpr uint32_t kMinBlocks = 16;

struct LaunchWork {
  std::optional<int64_t> flop, bytes;  // bytes are known only if FLOP are
  const char* why = "";                // a phrase for what is missing; "" if both are known
  int64_t elements = 0;                // 0 = unknown
};

// Elements per thread of a vectorized kernel: 4 in PyTorch before 2.7, 8 in later versions. The
// name of a kernel may not tell which. Other kernels of the program do: vectors of 8 are new, and
// vectors of 4 of 2-byte elements are old. On AMD GPUs, which are recognized by their libraries'
// kernel names, the number depends on the types in other ways and is unknown.
enum class ThreadWork : uint8_t { kUnknown, kFour, kEight };
ThreadWork ThreadWorkOf(std::span<const std::string_view> kernels);

// `kernel` is the full, demangled name.
LaunchWork WorkOfLaunch(std::string_view kernel, const GpuKernelConfig& config, ThreadWork work);

}  // namespace gprofx
