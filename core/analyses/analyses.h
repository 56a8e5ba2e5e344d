// The fifteen across-stack analyses, A1 to A15: from the time of a step over layers and operators
// to kernels. Names and columns follow XSP (Li et al., IPDPS 2020).
//
// A table is complete or empty with its reason; what a recording does not tell is an empty cell, or
// a note that says so. Tables agree with each other: sums of GPU time over layers, operators and
// kernels, with what has none, are that of the profile, to the nanosecond (core/levels). Pure; one
// thread; what is given must outlive the context.
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

// What several analyses need, made once. `events`: of the whole recording.
struct AnalysisContext {
  AnalysisContext(const Profile& profile, const GpuWorkEvents& events, std::string label);
  // `levels`: FindLevels(profile), for who has asked already.
  AnalysisContext(const Profile& profile, const GpuWorkEvents& events, std::string label,
                  Levels levels);

  const Profile& profile;
  const GpuWorkEvents& events;
  std::string label;  // of the run: its file
  Levels levels;
  std::vector<uint32_t> paths;     // by operation: of layers
  std::vector<LayerShare> shares;  // by node
  std::vector<LevelSum> layers, operators, kernels;
  OutsideLayers outside;
  int64_t gpu_ns = 0;     // all of it
  int64_t kernel_ns = 0;  // of kernels
  int64_t steps = 0;      // that are shown; 0 = none were found
  bool has_gpu = false, is_estimated = false;
  TimeRange counted;  // of operations

  int64_t PerStep(int64_t ns) const;
  // What of an operation lies in what is shown.
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
// Those of HolisticTraceAnalysis, with its definitions: "idle_breakdown".
std::span<const AnalysisKind> BreakdownKinds();
// Of several runs: "leveled_runs".
std::span<const AnalysisKind> RunKinds();
// By name, "A10", "a10" or "idle_breakdown"; null for others.
const AnalysisKind* FindAnalysis(std::string_view name);

Analysis MakeAnalysis(const AnalysisKind& kind, const AnalysisContext& context);

}  // namespace gprofx::analyses
