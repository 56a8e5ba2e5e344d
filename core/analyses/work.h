// What the operators of a profile have to do, and the kernels that do it. Used inside core/analyses
// only.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/analyses/analyses.h"

namespace gprofx {

struct WorkOfNode {
  NodeId op;           // the operator on a call path
  int64_t flop = 0, bytes = 0;
  uint32_t kernel = 0;    // StringId of the one kernel that does it; 0 = several, or none
  int64_t kernel_ns = 0;  // of the kernels that do it
  GpuDeviceId device;
};

// Operators whose shapes are known and which put work on a GPU. Empty for a part of a recording:
// operators have no times.
std::vector<WorkOfNode> FindWork(const AnalysisContext& context);

// The limits of a device by its data sheet, without sparsity.
struct DevicePeaks {
  double flop_per_s = 0;   // for a type
  double bytes_per_s = 0;
};
// `type` as kernels are called (core/kernel_family.h): "bf16", "f32". Nothing for devices and types
// that are not known.
std::optional<DevicePeaks> PeaksOf(std::string_view device, std::string_view type);

// "bf16" of "gemm bf16 128x128 tn"; "" where the name of a kernel does not say it.
std::string_view TypeInName(std::string_view short_name);

}  // namespace gprofx
