// Classifies a GPU kernel by its name: its family, and a short name such as "mul f32",
// "copy f32>bf16", "gemm bf16 128x128 tn" or "allreduce sum f32 ring ll".
//
// One table (core/kernels/kernel_family_table.cpp) serves everything that names or sorts kernels:
// reports, exports, analyses. It knows the symbols of PyTorch, cuBLAS, CUTLASS, cuDNN, NCCL,
// Triton, CuPy, CUB, Thrust, XLA, rocBLAS and common extensions, as CUPTI or Nsight Systems spell
// them. A name that no rule matches has the family kOther and its last part as short name. Types
// are f64, f32, tf32, bf16, f16, e4m3, i64, ...; "?" if the name has none. Linear in the length of
// a name, of which the first 64 kB count. Pure, any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gprofx {

enum class KernelFamily : uint8_t {
  kOther,
  kElementwise,
  kCopy,
  kFill,
  kReduction,
  kSoftmax,
  kNorm,
  kAttention,
  kGemm,
  kConvolution,
  kPooling,
  kLoss,
  kOptimizer,  // also other work on lists of tensors
  kCollective,
  kFused,  // Triton kernels of inductor, XLA fusions
  kScan,
  kSort,
  kIndex,  // gather, scatter, index, search
  kEmbedding,
  kRandom,
  kQuantize,
  kSparse,
  kFft,
};

// Returns a stable word for JSON and exports: "gemm", "copy", ...; "other".
std::string_view FamilyWord(KernelFamily family);

struct KernelWhat {
  KernelFamily family = KernelFamily::kOther;
  std::string what;     // empty only if the name is
  std::string variant;  // implementation, if known: "vec4", "unrolled cast"
};

// `name`: the full name of a kernel, demangled or not, or the name of a copy or memset from
// core/kernels/work_names.h.
KernelWhat WhatKernelDoes(std::string_view name);

// True for the family kCollective, which counts as communication wherever time is divided. Slow:
// call once per name.
bool IsCommunicationKernel(std::string_view name);

inline std::string ShortKernelName(std::string_view name) { return WhatKernelDoes(name).what; }

// Returns distinct short names for the kernels of one list. Equal short names get their variant
// and, if still equal, a hash of the full name: "mul f32 vec4 ~3fa2". The hash of a name is the
// same in every profile, unless two hashes collide in one.
std::vector<std::string> DistinctKernelNames(std::span<const std::string_view> names);

}  // namespace gprofx
