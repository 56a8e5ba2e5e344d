// Finds the work (FLOP and bytes) of the operators and kernels of a profile. Used inside
// core/analyses only.
//
// Work is taken from hardware counters if they are available (core/kernels/kernel_counters.h).
// Otherwise, the work of matrix products is derived from the shapes of their operator, and the work
// of elementwise kernels from their name and launch configuration (core/kernels/launch_work.h). The
// work of all other kernels is unknown.
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
  NodeId op;  // the operator if the work comes from its shapes, else the kernel
  int64_t flop = 0, bytes = 0;
  uint32_t layer = 0;     // position in Levels::layers, also for backward work; 0 = none
  uint32_t kernel = 0;    // name (StringId) of the kernel, if a single one does the work; else 0
  int64_t kernel_ns = 0;  // time of the kernels that do the work
  WorkFrom from = WorkFrom::kShapes;
  std::optional<FlopUnit> unit;  // the unit that executed most of the FLOP; set if measured
};

// Returns all work that is known: of measured kernels, of operators with GPU work and known shapes,
// and of kernels whose launches determine their work. If only a range of the recording is shown,
// operators are missing, because they have no times.
std::vector<WorkOfNode> FindWork(const AnalysisContext& context);

// Returns a note that says where the work comes from: "FLOP and bytes: of 28% of the kernels' time
// by the shapes of operators, ...".
std::string WorkNote(const AnalysisContext& context, std::span<const WorkOfNode> work);

// Returns the fraction known_ns / kernel_ns. Empty if times are estimates: known work then covers
// only the kernels with records.
AnalysisCell KnownShare(const AnalysisContext& context, int64_t known_ns, int64_t kernel_ns);

// The work of all launches of a kernel with one launch configuration.
struct WorkOfKernel {
  WorkFrom from = WorkFrom::kUnknown;
  std::optional<int64_t> flop = 0, bytes = 0;  // totals
  bool flop_measured = false, bytes_measured = false;
  bool is_uneven = false;  // true: the counters differ between launches
  // A phrase for what is missing if the work or a part of it is unknown.
  const char* why = "where it begins";
};
// Maps a kernel with its launch configuration to T. The key holds the StringId of the name and the
// id of the configuration.
using KernelKey = std::pair<uint32_t, uint32_t>;
template <class T>
using ByKernel = std::unordered_map<KernelKey, T, NumbersHash>;
ByKernel<WorkOfKernel> WorkByKernel(const AnalysisContext& context);

// Finds the name of the kernel at a node, as KeyAt() in core/levels/level_sums.h does. The names
// are cached by node, because there are many more launches than nodes.
class KernelNames {
 public:
  explicit KernelNames(const AnalysisContext& context);
  uint32_t At(NodeId node);  // a StringId; 0 = none

 private:
  const AnalysisContext& context_;
  std::vector<uint32_t> names_;
};

// Peaks of a device from its data sheet, without sparsity.
struct DevicePeaks {
  double flop_per_s = 0;  // for one number type
  double bytes_per_s = 0;
};
// Returns the number type whose peak limits the work, in the form that PeaksOf() accepts. For
// elementwise work it is never a type of tensor cores, which such work does not use.
std::string TypeOfWork(const AnalysisContext& context, const WorkOfNode& work);
// Returns the peaks of a device for a number type. `type` is spelled as in short kernel names
// (core/kernels/kernel_family.h): "bf16", "f32", or "f64 tensor" for tensor cores. Empty if the
// device or the type is unknown.
std::optional<DevicePeaks> PeaksOf(std::string_view device, std::string_view type);

// Returns the number type in a kernel's short name: "bf16" for "gemm bf16 128x128 tn". "" if it has
// none.
std::string_view TypeInName(std::string_view short_name);

}  // namespace gprofx::analyses
