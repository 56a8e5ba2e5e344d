// Declares the analyses, one function each, and the helpers that they share. Used inside
// core/analyses only.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/analyses/analyses.h"

namespace gprofx::analyses {

void ModelInformation(const AnalysisContext& context, Analysis& out);   // A1
void LayerInformation(const AnalysisContext& context, Analysis& out);   // A2
void LayerLatency(const AnalysisContext& context, Analysis& out);       // A3
void LayerMemory(const AnalysisContext& context, Analysis& out);        // A4
void LayerTypes(const AnalysisContext& context, Analysis& out);         // A5
void LatencyByType(const AnalysisContext& context, Analysis& out);      // A6
void MemoryByType(const AnalysisContext& context, Analysis& out);       // A7
void KernelInformation(const AnalysisContext& context, Analysis& out);  // A8
void KernelRoofline(const AnalysisContext& context, Analysis& out);     // A9
void KernelsByName(const AnalysisContext& context, Analysis& out);      // A10
void KernelsByLayer(const AnalysisContext& context, Analysis& out);     // A11
void MetricsByLayer(const AnalysisContext& context, Analysis& out);     // A12
void GpuAgainstHost(const AnalysisContext& context, Analysis& out);     // A13
void LayerRoofline(const AnalysisContext& context, Analysis& out);      // A14
void KernelsByModel(const AnalysisContext& context, Analysis& out);     // A15
void TemporalBreakdown(const AnalysisContext& context, Analysis& out);
void KernelBreakdown(const AnalysisContext& context, Analysis& out);
void IdleBreakdown(const AnalysisContext& context, Analysis& out);
void LaunchStatistics(const AnalysisContext& context, Analysis& out);
void QueueLength(const AnalysisContext& context, Analysis& out);

// NeedsGpu() and NeedsLayers() check if an analysis is possible. If not, they set its reason and
// return false. NeedsGpu() requires GPU work; NeedsLayers() requires GPU work in a layer.
bool NeedsGpu(const AnalysisContext& context, Analysis& out);
bool NeedsLayers(const AnalysisContext& context, Analysis& out);

// NoteSteps() adds a note such as "per step, 58 steps". NoteAttributed() adds a note that says how
// much of the GPU time the table attributes to layers.
void NoteSteps(const AnalysisContext& context, Analysis& out);
void NoteAttributed(const AnalysisContext& context, Analysis& out);

// Returns the ids (in Levels::layers) of the layers that have any work, in the order of their first
// appearance.
std::vector<uint32_t> LayersInOrder(const AnalysisContext& context);

// Returns part / whole, 0 to 1; empty if `whole` is not positive.
AnalysisCell Share(int64_t part, int64_t whole);

// What host threads did in a layer. kWait is waiting for a GPU.
enum class HostKind : uint8_t { kPython, kDispatch, kLaunch, kWait, kMemory, kCopy };
inline constexpr size_t kHostKinds = 6;
// Time of host threads in each layer.
struct HostTimeByLayer {
  std::string note;      // what the numbers mean
  std::string reason;    // why there are no numbers; else ""
  bool is_span = false;  // source of the numbers; true: spans of a trace, false: samples
  struct Row {
    int64_t ns[kHostKinds] = {};  // by HostKind
    int64_t Sum() const;
  };
  // Key: layer id. The time of a layer includes its nested layers. Only the forward pass counts.
  std::unordered_map<uint32_t, Row> layers;
};
HostTimeByLayer HostTimeOf(const AnalysisContext& context);

// Returns, for each layer, the time in which its work or that of a nested layer ran on any stream.
// Work that overlaps on one device counts once. Key 0 is the time of all work.
std::unordered_map<uint32_t, int64_t> BusyByLayer(const AnalysisContext& context);

// GPU memory that a layer allocated, in bytes. `allocated` and `freed` exclude nested layers.
// `peak` is the maximum of the live memory on the GPU at the layer's own allocations and those of
// nested layers.
struct LayerMemorySum {
  int64_t allocated = 0, freed = 0, allocations = 0;
  int64_t peak = -1;  // bytes; -1 = the layer did not allocate
};
// Returns the memory of each layer. Key 0 is the memory that was allocated outside of layers.
std::unordered_map<uint32_t, LayerMemorySum> MemoryByLayer(const AnalysisContext& context);

// Returns the theoretical occupancy of a kernel: the warps that can be resident on a
// multiprocessor, divided by the maximum of the device. The cell is empty if the device or the
// launch configuration is unknown.
AnalysisCell TheoreticalOccupancy(const GpuDevice& device, const GpuKernelConfig& config);

}  // namespace gprofx::analyses
