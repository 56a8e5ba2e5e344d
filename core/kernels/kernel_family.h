// What a GPU kernel does, told from its name: its family, and a short name such as "mul f32",
// "copy f32>bf16", "gemm bf16 128x128 tn" or "allreduce sum f32 ring ll".
//
// One table (core/kernels/kernel_family_table.cpp) for everything that names or sorts kernels:
// reports, exports, analyses. Names come from the symbols of PyTorch, cuBLAS, CUTLASS, cuDNN, NCCL,
// Triton, CuPy, CUB, Thrust, XLA, rocBLAS and of common extensions, as CUPTI or Nsight Systems
// spell them; a name that no rule knows has the family kOther and its own last part as short name.
// Types are f64, f32, tf32, bf16, f16, e4m3, i64, ...; "?" where the name does not tell one. Linear
// in the length of a name, of which the first 64 kB count. Pure, any thread.
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
  kFused,  // Triton of inductor, fusions of XLA
  kScan,
  kSort,
  kIndex,  // gather, scatter, index, search
  kEmbedding,
  kRandom,
  kQuantize,
  kSparse,
  kFft,
};

// Stable words for JSON and exports: "gemm", "copy", ...; "other".
std::string_view FamilyWord(KernelFamily family);

struct KernelWhat {
  KernelFamily family = KernelFamily::kOther;
  std::string what;     // never empty for a name that is not
  std::string variant;  // how it is done, where that is known: "vec4", "unrolled cast"
};

// `name`: of a kernel in full, demangled or not; or of a copy or memset as
// core/kernels/work_names.h calls it.
KernelWhat WhatKernelDoes(std::string_view name);

// Of the family kCollective: what counts as communication wherever time is divided. Asked once for
// each name.
bool IsCommunicationKernel(std::string_view name);

inline std::string ShortKernelName(std::string_view name) { return WhatKernelDoes(name).what; }

// Short names of different kernels that stand in one list. Those that would look the same get their
// variant, and where that is the same, too, a mark made of the full name: "mul f32 vec4 ~3fa2". The
// mark of a name is the same in every profile, unless two marks are equal in one.
std::vector<std::string> DistinctKernelNames(std::span<const std::string_view> names);

}  // namespace gprofx
