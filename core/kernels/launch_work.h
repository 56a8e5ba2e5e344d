// What a kernel has to do, told by its name and launch configuration, where nobody recorded shapes.
//
// Told of PyTorch's elementwise kernels (ATen/native/cuda/CUDALoops.cuh): a block works on as many
// elements as its template says, and the grid has as many blocks as that takes. So the elements
// are known to one block, of which there are kMinBlocks or more; all of the last one are counted.
// Each element is one operation, a copied or filled one none. Where tensors are contiguous and the
// name has their types, bytes are each tensor once.
//
// Nothing is said of others: the depth of a product, the length of a row or of the keys stands in
// neither. `why` says which. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/gpu/gpu.h"

namespace gprofx {

inline constexpr uint32_t kMinBlocks = 16;

struct LaunchWork {
  std::optional<int64_t> flop, bytes;  // no bytes without FLOP
  const char* why = "";                // what is missing to know both: a phrase
  int64_t elements = 0;                // 0 = not told
};

// PyTorch before 2.7 gives a thread of a vectorized kernel 4 elements, later ones 8. Names do not
// tell which it was, but those of the other kernels of a program do: vectors of 8 are new, and
// 2-byte elements in vectors of 4 are old. On GPUs of AMD, whose libraries have names of their own,
// it depends on the types in other ways: nothing is said.
enum class ThreadWork : uint8_t { kUnknown, kFour, kEight };
ThreadWork ThreadWorkOf(std::span<const std::string_view> kernels);

// `kernel`: its name in full, demangled.
LaunchWork WorkOfLaunch(std::string_view kernel, const GpuKernelConfig& config, ThreadWork work);

}  // namespace gprofx
