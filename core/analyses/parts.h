// The analyses, one function each, and their shared helpers. Used inside core/analyses only.
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

// Return false and set the reason if the analysis is impossible: NeedsGpu if there is no GPU,
// NeedsLayers if no GPU work lies in a layer.
bool NeedsGpu(const AnalysisContext& context, Analysis& out);
bool NeedsLayers(const AnalysisContext& context, Analysis& out);

// NoteSteps adds a note such as "per step, 58 steps". NoteAttributed adds a note about how much of
// the GPU time the table attributes.
void NoteSteps(const AnalysisContext& context, Analysis& out);
void NoteAttributed(const AnalysisContext& context, Analysis& out);

// Returns the layers with any work, in order of first appearance; ids of Levels::layers.
std::vector<uint32_t> LayersInOrder(const AnalysisContext& context);

// Returns part / whole, 0 to 1; empty if `whole` is not positive.
AnalysisCell Share(int64_t part, int64_t whole);

// Host time by layer, including nested layers: what threads did there, and their waits for a GPU.
enum class HostKind : uint8_t { kPython, kDispatch, kLaunch, kWait, kMemory, kCopy };
inline constexpr size_t kHostKinds = 6;
struct HostTimeByLayer {
  std::string note;      // what the numbers mean
  std::string reason;    // why there are none
  bool is_span = false;  // spans of a trace, not samples
  struct Row {
    int64_t ns[kHostKinds] = {};
    int64_t Sum() const;
  };
  std::unordered_map<uint32_t, Row> layers;  // by layer id; forward pass only
};
HostTimeByLayer HostTimeOf(const AnalysisContext& context);

// Returns for each layer the time in which its work, or that of a nested layer, ran on any stream.
// Work that overlaps on one device counts once. Key 0 is all work.
std::unordered_map<uint32_t, int64_t> BusyByLayer(const AnalysisContext& context);

// GPU memory allocated and freed in a layer, without nested layers, and the maximum live on the GPU
// when the layer or a nested one allocated. By layer; 0 = outside of layers.
struct LayerMemorySum {
  int64_t allocated = 0, freed = 0, allocations = 0;
  int64_t peak = -1;  // -1 = no allocation
};
std::unordered_map<uint32_t, LayerMemorySum> MemoryByLayer(const AnalysisContext& context);

// Returns the theoretical occupancy of a kernel: resident warps per multiprocessor divided by the
// maximum. Empty if the device or the launch is unknown.
AnalysisCell TheoreticalOccupancy(const GpuDevice& device, const GpuKernelConfig& config);

}  // namespace gprofx::analyses
