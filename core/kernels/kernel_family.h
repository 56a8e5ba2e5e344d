// Classifies a GPU kernel by its name. Returns its family and a short name such as "mul f32", "copy
// f32>bf16", "gemm bf16 128x128 tn" or "allreduce sum f32 ring ll".
//
// Reports, exports and analyses all use this classification and its table
// (core/kernels/kernel_family_table.cpp). The table knows the symbols of PyTorch, cuBLAS, CUTLASS,
// cuDNN, NCCL, Triton, CuPy, CUB, Thrust, XLA, rocBLAS and common extensions, as CUPTI or Nsight
// Systems spell them. If no rule matches a name, its family is kOther and its short name is its
// last part. Types in short names are f64, f32, tf32, bf16, f16, e4m3, i64, ...; "?" if the
// kernel's name contains none. Takes timelinear in the length of the name; only its first 64 kB
// count. Pure, any thread.
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

// Returns the name of a family in JSON and exports: "gemm", "copy", ... "other". These names never
// change.
std::string_view FamilyWord(KernelFamily family);

struct KernelWhat {
  KernelFamily family = KernelFamily::kOther;
  std::string what;     // short name; empty only if the kernel's name is empty
  std::string variant;  // implementation, if known: "vec4", "unrolled cast"
};

// Classifies a kernel by its name. `name` is the full name of a kernel, demangled or not, or the
// name of a copy or memset from core/kernels/work_names.h.
KernelWhat WhatKernelDoes(std::string_view name);

// True for the family kCollective. Its time counts as communication everywhere. Slow: call it once
// per name.
bool IsCommunicationKernel(std::string_view name);

inline std::string ShortKernelName(std::string_view name) { return WhatKernelDoes(name).what; }

// Returns distinct short names for the kernels of a list. If short names are equal, the variant is
// appended to them. If they are still equal, a hash of the full name is appended: "mul f32 vec4
// ~3fa2". The hash of a name is the same in every profile, unless two hashes of a profile collide.
std::vector<std::string> DistinctKernelNames(std::span<const std::string_view> names);

}  // namespace gprofx
