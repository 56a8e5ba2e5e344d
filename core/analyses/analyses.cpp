#include "core/analyses/analyses.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "core/analyses/leveled.h"
#include "core/analyses/parts.h"
#include "core/base/arithmetic.h"
#include "core/slice/choose_part.h"
#include "core/slice/part_builder.h"

namespace gprofx::analyses {
namespace {

constexpr AnalysisKind kKinds[] = {
    {"A1", "model_information", "the model: time of a step and throughput", &ModelInformation},
    {"A2", "layer_information", "layers in the order of their first appearance", &LayerInformation},
    {"A3", "layer_latency", "time of each layer", &LayerLatency},
    {"A4", "layer_memory", "memory that each layer allocates", &LayerMemory},
    {"A5", "layer_types", "types of layers", &LayerTypes},
    {"A6", "latency_by_type", "time by type of layer", &LatencyByType},
    {"A7", "memory_by_type", "memory by type of layer", &MemoryByType},
    {"A8", "kernel_information", "kernels by launch configuration", &KernelInformation},
    {"A9", "kernel_roofline", "kernels against the limits of the GPU", &KernelRoofline},
    {"A10", "kernels_by_name", "kernels by name", &KernelsByName},
    {"A11", "kernels_by_layer", "kernels by layer", &KernelsByLayer},
    {"A12", "metrics_by_layer", "metrics of the kernels of each layer", &MetricsByLayer},
    {"A13", "gpu_against_host", "GPU and host time of each layer", &GpuAgainstHost},
    {"A14", "layer_roofline", "layers against the limits of the GPU", &LayerRoofline},
    {"A15", "kernels_by_model", "kernels of the run as a whole", &KernelsByModel},
};

// The analyses of HolisticTraceAnalysis, with its names.
constexpr AnalysisKind kBreakdowns[] = {
    {"temporal_breakdown", "temporal_breakdown", "time of each GPU: idle, computing, other work",
     &TemporalBreakdown},
    {"kernel_breakdown", "kernel_breakdown", "kinds of GPU work, and which overlap",
     &KernelBreakdown},
    {"idle_breakdown", "idle_breakdown", "why streams were idle", &IdleBreakdown},
    {"launch_statistics", "launch_statistics", "calls that launch, and what they launch",
     &LaunchStatistics},
    {"queue_length", "queue_length", "operations that wait in each stream", &QueueLength},
};

constexpr AnalysisKind kRuns[] = {
    {kLeveledRuns, kLeveledRuns, "cost of each level of recording", &LeveledRun},
};

int64_t StepsShown(const Profile& profile) {
  if (profile.part) return profile.part->steps;
  if (profile.phases.trains.empty()) return 0;
  return static_cast<int64_t>(profile.phases.trains[0].steps.size());
}

}  // namespace

AnalysisContext::AnalysisContext(const Profile& of, const GpuWorkEvents& with, std::string name)
    : AnalysisContext(of, with, std::move(name), FindLevels(of)) {}

AnalysisContext::AnalysisContext(const Profile& of, const GpuWorkEvents& with, std::string name,
                                 Levels found)
    : profile(of), events(with), label(std::move(name)), levels(std::move(found)) {
  OperationPaths of_operations = LayerPaths(profile, levels, events.operations, events.windows);
  shares = LayerShares(levels, events.operations, of_operations);
  paths = std::move(of_operations.paths);
  layers = SumByLevel(profile, levels, Level::kLayer, shares);
  outside = SumOutside(profile, levels, shares);
  operators = SumByLevel(profile, levels, Level::kOperator);
  kernels = SumByLevel(profile, levels, Level::kKernel);
  for (const LevelSum& kernel : kernels) {
    gpu_ns = AddSaturated(gpu_ns, kernel.gpu_ns);
    kernel_ns = AddSaturated(kernel_ns, kernel.kernel_ns);
  }
  steps = StepsShown(profile);
  has_gpu = static_cast<bool>(profile.FindMetric(kMetricGpu)) && !kernels.empty();
  is_estimated = static_cast<bool>(profile.FindMetric(kMetricGpuEstimated));
  counted = CountedRange(
      profile, profile.part ? profile.part->range : TimeRange{0, EndOfRecording(profile)});
}

int64_t AnalysisContext::PerStep(int64_t ns) const {
  return steps > 0 ? AddSaturated(ns, steps / 2) / steps : ns;
}

int64_t AnalysisContext::LengthOf(const PhaseOperation& operation) const {
  return std::max<int64_t>(
      std::min(operation.end, counted.end) - std::max(operation.start, counted.begin), 0);
}

bool AnalysisContext::BeginsInside(const PhaseOperation& operation) const {
  return operation.start >= counted.begin && operation.start < counted.end;
}

std::span<const AnalysisKind> AnalysisKinds() { return kKinds; }
std::span<const AnalysisKind> BreakdownKinds() { return kBreakdowns; }
std::span<const AnalysisKind> RunKinds() { return kRuns; }

const AnalysisKind* FindAnalysis(std::string_view name) {
  std::string upper(name);
  for (char& c : upper) c = static_cast<char>(toupper(static_cast<unsigned char>(c)));
  for (const AnalysisKind& kind : kKinds) {
    if (upper == kind.name) return &kind;
  }
  for (const auto& kinds : {BreakdownKinds(), RunKinds()}) {
    for (const AnalysisKind& kind : kinds) {
      if (name == kind.name) return &kind;
    }
  }
  return nullptr;
}

Analysis MakeAnalysis(const AnalysisKind& kind, const AnalysisContext& context) {
  Analysis analysis;
  analysis.name = kind.name;
  analysis.id = kind.id;
  analysis.title = kind.title;
  kind.make(context, analysis);
  if (!analysis.reason.empty()) analysis.rows.clear();
  if (analysis.rows.empty() && analysis.reason.empty()) {
    analysis.reason = "the shown range contains nothing of it";
  }
  if (analysis.rows.empty()) analysis.notes.clear();
  return analysis;
}

}  // namespace gprofx::analyses
