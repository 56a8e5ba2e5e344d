// Derives the work of a kernel from its name and launch configuration. Used for recordings without
// shapes of tensors.
//
// The work of PyTorch's elementwise kernels (ATen/native/cuda/CUDALoops.cuh) can be derived. The
// template determines the number of elements per block, and the grid has just as many blocks as
// needed. The number of elements is thus known to within one block. The last block counts as full;
// grids of fewer than kMinBlocks blocks would make this too inexact and are not analysed. Each
// element is one operation, or none if it is only copied or filled. If tensors are contiguous and
// the name contains their types, the bytes of each tensor are counted once.
//
// The work of other kernels is unknown: neither the name nor the configuration contains the depth
// of a matrix product, the length of a row or the number of keys. LaunchWork::why says which of
// them is missing. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/gpu/gpu.h"

namespace gprofx {

inline constexpr uint32_t kMinBlocks = 16;

struct LaunchWork {
  std::optional<int64_t> flop, bytes;  // `bytes` is set only if `flop` is
  const char* why = "";                // a phrase for what is missing; "" if both are known
  int64_t elements = 0;                // 0 = unknown
};

// Elements per thread of a vectorized kernel: 4 in PyTorch before 2.7, 8 in later versions. If the
// name of a kernel does not contain it, other kernels of the program show the version: only later
// versions use vectors of 8, and only earlier ones use vectors of 4 for 2-byte elements. On AMD
// GPUs, which are recognized by their libraries' kernel names, the number depends on the types in
// other ways and is unknown.
enum class ThreadWork : uint8_t { kUnknown, kFour, kEight };
ThreadWork ThreadWorkOf(std::span<const std::string_view> kernels);

// Returns the work of a launch of `kernel`, which is the full, demangled name.
LaunchWork WorkOfLaunch(std::string_view kernel, const GpuKernelConfig& config, ThreadWork work);

}  // namespace gprofx
