// The fifteen across-stack analyses, A1 to A15: from the time of a step over layers and operators
// to kernels. Names and columns follow XSP (Li et al., IPDPS 2020).
//
// A table is complete, or empty with a reason. A value that the recording does not contain is an
// empty cell or is mentioned in a note. Tables agree with each other: the sums of GPU time over
// layers, operators and kernels, including time outside of them, are exactly that of the profile
// (core/levels). Pure; one thread; the arguments must outlive the context.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analyses/table.h"
#include "core/gpu/gpu_work.h"
#include "core/levels/backward.h"
#include "core/levels/level_sums.h"
#include "core/levels/levels.h"
#include "core/model/profile.h"
#include "core/steps/phases.h"

namespace gprofx::analyses {

// Data shared by several analyses, computed once. `events` must be those of the whole recording.
struct AnalysisContext {
  AnalysisContext(const Profile& profile, const GpuWorkEvents& events, std::string label);
  // `levels` must be FindLevels(profile), if the caller already has it.
  AnalysisContext(const Profile& profile, const GpuWorkEvents& events, std::string label,
                  Levels levels);

  const Profile& profile;
  const GpuWorkEvents& events;
  std::string label;  // of the run: its file
  Levels levels;
  std::vector<uint32_t> paths;     // layer path of each operation
  std::vector<LayerShare> shares;  // by node
  std::vector<LevelSum> layers, operators, kernels;
  OutsideLayers outside;
  int64_t gpu_ns = 0;     // of all operations
  int64_t kernel_ns = 0;  // of kernels
  int64_t steps = 0;      // number of shown steps; 0 = none found
  bool has_gpu = false, is_estimated = false;
  TimeRange counted;  // range in which operations count

  int64_t PerStep(int64_t ns) const;
  // Returns how long an operation ran inside the shown range, ns.
  int64_t LengthOf(const PhaseOperation& operation) const;
  bool BeginsInside(const PhaseOperation& operation) const;
};

struct AnalysisKind {
  const char* name;
  const char* id;
  const char* title;
  void (*make)(const AnalysisContext& context, Analysis& analysis);
};

std::span<const AnalysisKind> AnalysisKinds();  // A1 to A15, in order
// The analyses of HolisticTraceAnalysis, with its definitions: "idle_breakdown".
std::span<const AnalysisKind> BreakdownKinds();
// Analyses of several runs: "leveled_runs".
std::span<const AnalysisKind> RunKinds();
// Finds an analysis by name, "A10", "a10" or "idle_breakdown"; null for unknown names.
const AnalysisKind* FindAnalysis(std::string_view name);

Analysis MakeAnalysis(const AnalysisKind& kind, const AnalysisContext& context);

}  // namespace gprofx::analyses
