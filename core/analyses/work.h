// The work (FLOP and bytes) of the operators and kernels of a profile. Used inside core/analyses
// only.
//
// Measured by hardware counters if available (core/kernels/kernel_counters.h). Otherwise derived
// for products from the shapes of their operator, and for elementwise kernels from name and launch
// configuration (core/kernels/launch_work.h). Unknown for all others.
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
#include "core/base/hash.h"

namespace gprofx::analyses {

enum class WorkFrom : uint8_t { kUnknown, kShapes, kLaunch, kMeasured };

struct WorkOfNode {
  NodeId op;  // the operator, or for launches and counters the kernel
  int64_t flop = 0, bytes = 0;
  uint32_t layer = 0;     // in Levels::layers, also for backward work; 0 = none
  uint32_t kernel = 0;    // StringId of the only kernel that does it; 0 = several, or none
  int64_t kernel_ns = 0;  // time of the kernels that do it
  WorkFrom from = WorkFrom::kShapes;
  std::optional<FlopUnit> unit;  // the unit with most of the FLOP, if measured
};

// Returns measured kernels, operators with known shapes and GPU work, then kernels whose launches
// determine their work. For a part of a recording there are no operators with shapes, because
// operators have no times.
std::vector<WorkOfNode> FindWork(const AnalysisContext& context);

// Returns "FLOP and bytes: of 28% of the kernels' time by the shapes of operators, ...".
std::string WorkNote(const AnalysisContext& context, std::span<const WorkOfNode> work);

// Empty if times are estimates, because then the work covers only the records.
AnalysisCell KnownShare(const AnalysisContext& context, int64_t known_ns, int64_t kernel_ns);

// Work of all kernels with one name and launch configuration.
struct WorkOfKernel {
  WorkFrom from = WorkFrom::kUnknown;
  std::optional<int64_t> flop = 0, bytes = 0;  // totals
  bool flop_measured = false, bytes_measured = false;
  bool is_uneven = false;               // counters differ between launches
  const char* why = "where it begins";  // what is missing, if anything
};
// A kernel and its launch configuration: StringId of the name, id of the configuration.
using KernelKey = std::pair<uint32_t, uint32_t>;
template <class T>
using ByKernel = std::unordered_map<KernelKey, T, NumbersHash>;
ByKernel<WorkOfKernel> WorkByKernel(const AnalysisContext& context);

// The name of the kernel at a node, as KeyAt() in core/levels/level_sums.h returns it. Cached,
// because there are many more launches than nodes.
class KernelNames {
 public:
  explicit KernelNames(const AnalysisContext& context);
  uint32_t At(NodeId node);  // a StringId; 0 = none

 private:
  const AnalysisContext& context_;
  std::vector<uint32_t> names_;
};

// Peaks of a device by its data sheet, without sparsity.
struct DevicePeaks {
  double flop_per_s = 0;  // for one type
  double bytes_per_s = 0;
};
// Returns the number type whose peak limits the work, as PeaksOf() takes it. Elementwise work runs
// on ordinary cores, so its type is never one of tensor cores.
std::string TypeOfWork(const AnalysisContext& context, const WorkOfNode& work);
// `type` as in kernel names (core/kernels/kernel_family.h): "bf16", "f32"; "f64 tensor" for tensor
// cores. Empty for unknown devices and types.
std::optional<DevicePeaks> PeaksOf(std::string_view device, std::string_view type);

// Returns "bf16" for "gemm bf16 128x128 tn"; "" if the name has no type.
std::string_view TypeInName(std::string_view short_name);

}  // namespace gprofx::analyses
