// What the operators and kernels of a profile have to do. Used inside core/analyses only.
//
// As hardware counters measured it, where they did (core/kernels/kernel_counters.h); else of
// products by the shapes of their operator and of elementwise kernels by name and launch
// configuration (core/kernels/launch_work.h); of all else nothing is known.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/analyses/analyses.h"

namespace gprofx::analyses {

enum class WorkFrom : uint8_t { kUnknown, kShapes, kLaunch, kMeasured };

struct WorkOfNode {
  NodeId op;  // the operator on a call path; by launches and measured the kernel on it
  int64_t flop = 0, bytes = 0;
  uint32_t layer = 0;     // of Levels::layers; backward work of a layer is its own; 0 = none
  uint32_t kernel = 0;    // StringId of the one kernel that does it; 0 = several, or none
  int64_t kernel_ns = 0;  // of the kernels that do it
  WorkFrom from = WorkFrom::kShapes;
  std::optional<FlopUnit> unit;  // that does most of the FLOP, as measured
};

// Kernels that were measured, operators whose shapes are known and which put work on a GPU, then
// kernels whose launches tell their work. None of the first for a part of a recording: operators
// have no times.
std::vector<WorkOfNode> FindWork(const AnalysisContext& context);

// "FLOP and bytes: of 28% of the kernels' time by the shapes of operators, ...".
std::string WorkNote(const AnalysisContext& context, std::span<const WorkOfNode> work);

// Nothing where times are estimated and work is that of the records.
AnalysisCell KnownShare(const AnalysisContext& context, int64_t known_ns, int64_t kernel_ns);

// The work of all kernels of a name and launch configuration.
struct WorkOfKernel {
  WorkFrom from = WorkFrom::kUnknown;
  std::optional<int64_t> flop = 0, bytes = 0;  // together
  bool flop_measured = false, bytes_measured = false;
  bool is_uneven = false;               // as measured: its launches differ
  const char* why = "where it begins";  // what is missing, where something is
};
// By the name's StringId and the configuration's id, of what is shown.
using KernelKey = std::pair<uint32_t, uint32_t>;
struct KernelKeyHash {
  size_t operator()(const KernelKey& key) const noexcept {
    return (uint64_t{key.first} << 32 | key.second) * 0x9e3779b97f4a7c15u >> 20;
  }
};
template <class T>
using ByKernel = std::unordered_map<KernelKey, T, KernelKeyHash>;
ByKernel<WorkOfKernel> WorkByKernel(const AnalysisContext& context);

// The name of the kernel at a node, as KeyAt tells it, looked for once: there are many more
// launches than nodes.
class KernelNames {
 public:
  explicit KernelNames(const AnalysisContext& context);
  uint32_t At(NodeId node);  // a StringId; 0 = none

 private:
  const AnalysisContext& context_;
  std::vector<uint32_t> names_;
};

// The limits of a device by its data sheet, without sparsity.
struct DevicePeaks {
  double flop_per_s = 0;  // for a type
  double bytes_per_s = 0;
};
// The type whose peak limits a kernel; elementwise work runs on the ordinary cores.
std::string TypeOfWork(const AnalysisContext& context, const WorkOfNode& work);
// `type` as kernels are called (core/kernels/kernel_family.h): "bf16", "f32"; "f64 tensor" on
// tensor cores. Nothing for devices and types that are not known.
std::optional<DevicePeaks> PeaksOf(std::string_view device, std::string_view type);

// "bf16" of "gemm bf16 128x128 tn"; "" where the name of a kernel does not say it.
std::string_view TypeInName(std::string_view short_name);

}  // namespace gprofx::analyses
