// The analyses themselves, one function each, and what they share. Used inside core/analyses only.
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

// False, with its reason: there is no GPU, or none of its work lies in a layer.
bool NeedsGpu(const AnalysisContext& context, Analysis& out);
bool NeedsLayers(const AnalysisContext& context, Analysis& out);

// "per step, 58 steps", and how much of the GPU time has a place in the table.
void NoteSteps(const AnalysisContext& context, Analysis& out);
void NoteAttributed(const AnalysisContext& context, Analysis& out);

// Layers that have any work, by their first appearance; ids of Levels::layers.
std::vector<uint32_t> LayersInOrder(const AnalysisContext& context);

// Part of the whole, 0 to 1; nothing where the whole is nothing.
AnalysisCell Share(int64_t part, int64_t whole);

// Host time, by layer with the layers in it: what threads did there, and that they waited for a
// GPU.
enum class HostKind : uint8_t { kPython, kDispatch, kLaunch, kWait, kMemory, kCopy };
inline constexpr size_t kHostKinds = 6;
struct HostTimeByLayer {
  std::string note;      // what the numbers are
  std::string reason;    // why there are none
  bool is_span = false;  // the layers' own time from begin to end
  struct Row {
    int64_t ns[kHostKinds] = {};
    int64_t Sum() const;
  };
  std::unordered_map<uint32_t, Row> layers;  // by layer; forward only
};
HostTimeByLayer HostTimeOf(const AnalysisContext& context);

// Time in which work of a layer, or of a layer in it, ran on any stream: the union, each device for
// itself. By layer; 0 = all work.
std::unordered_map<uint32_t, int64_t> BusyByLayer(const AnalysisContext& context);

// GPU memory that was allocated and given back in a layer, the layers in it left out, and the most
// that was live on the GPU when the layer or one in it allocated. By layer; 0 = in none.
struct LayerMemorySum {
  int64_t allocated = 0, freed = 0, allocations = 0;
  int64_t peak = -1;  // -1 = it did not allocate
};
std::unordered_map<uint32_t, LayerMemorySum> MemoryByLayer(const AnalysisContext& context);

// What a GPU can have of a kernel at a time: warps of its blocks in a multiprocessor, as a part of
// the most that it can hold. Nothing where the device or the launch is not known.
AnalysisCell TheoreticalOccupancy(const GpuDevice& device, const GpuKernelConfig& config);

}  // namespace gprofx::analyses
