// What hardware counters say that kernels did: floating point operations by the unit that did them,
// and bytes of device memory. They are measured in a run of their own, by Nsight Compute, launch by
// launch, and come to a recording by kernel and launch configuration.
//
// Figures are means over the launches that were measured. Where those differ, as products of
// different depth in one grid do, is_uneven says so: the mean then tells of all of them together
// only. Pure; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/gpu/gpu_work.h"
#include "core/model/profile.h"

namespace gprofx {

// One launch as it was measured.
struct MeasuredLaunch {
  std::string kernel;  // its name in full, demangled, by whatever tool
  uint32_t grid[3] = {}, block[3] = {};
  std::optional<double> bytes;  // read and written
  std::optional<std::array<double, kFlopUnits>> flop;
};

struct JoinedCounters {
  std::vector<KernelCounters> rows;  // by configuration
  int64_t measured = 0;              // launches that were measured
  int64_t not_found = 0;             // of them: of kernels that the recording does not have
};

// By name, grid and block; by the name without namespaces and template arguments, grid and block
// where only one kernel of the recording and one that was measured have those.
JoinedCounters JoinCounters(const Profile& profile, const std::vector<MeasuredLaunch>& launches);

// Which launches to measure so that the largest kernels are among them. A profiler takes names
// without namespaces, and so many of the first launches of each grid and block.
struct LaunchesToMeasure {
  std::vector<std::string> kernels;  // base names, each once; empty = nothing is worth it
  size_t of_each = 0;                // launches of each grid and block
  double share = 0;                  // of all kernels' time
};
LaunchesToMeasure ChooseLaunches(const Profile& profile, const GpuWorkEvents& events);

}  // namespace gprofx
