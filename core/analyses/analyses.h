// Makes the fifteen across-stack analyses, A1 to A15: tables that follow the time of a step from
// layers through operators down to kernels. Names and columns follow XSP (Li et al., IPDPS 2020).
//
// A table is either complete, or empty with a reason. If the recording lacks a value, its cell is
// empty or a note says so. Tables agree with each other: the GPU times of all layers, of all
// operators and of all kernels each sum up to the GPU time of the profile (core/levels), because
// time outside of them is included. Pure; one thread. The profile and the events of an
// AnalysisContext must outlive it.
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

// Data that several analyses share. It is computed once. `events` must be the events of the whole
// recording, even if only a range of it is shown.
struct AnalysisContext {
  AnalysisContext(const Profile& profile, const GpuWorkEvents& events, std::string label);
  // Takes `levels`, the result of FindLevels(profile), from a caller that already has it.
  AnalysisContext(const Profile& profile, const GpuWorkEvents& events, std::string label,
                  Levels levels);

  const Profile& profile;
  const GpuWorkEvents& events;
  std::string label;  // name of the run: the name of its file
  Levels levels;
  // Layer path of each operation, by position in events.operations.
  std::vector<uint32_t> paths;
  std::vector<LayerShare> shares;  // sorted by node
  std::vector<LevelSum> layers, operators, kernels;
  OutsideLayers outside;
  int64_t gpu_ns = 0;     // GPU time of all operations
  int64_t kernel_ns = 0;  // GPU time of kernels
  int64_t steps = 0;      // number of steps in the shown range; 0 = none found
  bool has_gpu = false, is_estimated = false;
  TimeRange counted;  // only operations in this range count

  int64_t PerStep(int64_t ns) const;
  // Returns the length in ns of the part of an operation in the shown range.
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
// Returns the analyses of HolisticTraceAnalysis, with its names and definitions, such as
// "idle_breakdown".
std::span<const AnalysisKind> BreakdownKinds();
// Returns the analyses that need several runs: "leveled_runs".
std::span<const AnalysisKind> RunKinds();
// Finds an analysis by its number or name: "A10", "a10", "idle_breakdown". Returns null if there is
// none.
const AnalysisKind* FindAnalysis(std::string_view name);

Analysis MakeAnalysis(const AnalysisKind& kind, const AnalysisContext& context);

}  // namespace gprofx::analyses
