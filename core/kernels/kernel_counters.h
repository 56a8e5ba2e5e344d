// Hardware counter values of kernels: floating point operations by execution unit, and bytes of
// device memory. They are measured in a separate run, by Nsight Compute, launch by launch, and are
// matched to a recording by kernel and launch configuration.
//
// Figures are means over the measured launches. If these differ, as for matrix products of
// different depth with one grid, is_uneven is set: the mean then describes only all of them
// together. Pure; any thread.
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

// One measured launch.
struct MeasuredLaunch {
  std::string kernel;  // full name, demangled by any tool
  uint32_t grid[3] = {}, block[3] = {};
  std::optional<double> bytes;  // read and written
  std::optional<std::array<double, kFlopUnits>> flop;
};

struct JoinedCounters {
  std::vector<KernelCounters> rows;  // by configuration
  int64_t measured = 0;              // number of measured launches
  int64_t not_found = 0;             // those of kernels that the recording does not have
};

// Matches launches by name, grid and block. Otherwise matches by base name (without namespaces and
// template arguments), grid and block, if only one recorded and one measured kernel have these.
JoinedCounters JoinCounters(const Profile& profile, const std::vector<MeasuredLaunch>& launches);

// The launches to measure so that the largest kernels are covered. They are described as Nsight
// Compute accepts it: by base names, and by how many launches of each grid and block to measure,
// from the first on.
struct LaunchesToMeasure {
  std::vector<std::string> kernels;  // base names, each once; empty = not worthwhile
  size_t of_each = 0;                // launches of each grid and block
  double share = 0;                  // of the time of all kernels
};
LaunchesToMeasure ChooseLaunches(const Profile& profile, const GpuWorkEvents& events);

}  // namespace gprofx
