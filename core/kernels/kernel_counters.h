// Matches hardware counter values of kernels to a recording. The values are floating point
// operations by execution unit, and bytes of device memory. Nsight Compute measures them in a
// separate run, launch by launch. They are matched by kernel and launch configuration.
//
// Numbers are means over the measured launches of a configuration. is_uneven is set if these
// launches differ, as matrix products of different depth with the same grid do. The mean then says
// nothing about a single launch. Pure; any thread.
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

// The counter values of a launch.
struct MeasuredLaunch {
  std::string kernel;  // full name, as demangled by any tool
  uint32_t grid[3] = {}, block[3] = {};
  std::optional<double> bytes;  // read from and written to device memory
  std::optional<std::array<double, kFlopUnits>> flop;
};

struct JoinedCounters {
  std::vector<KernelCounters> rows;  // one per configuration that was found
  int64_t measured = 0;              // number of measured launches
  int64_t not_found = 0;  // measured launches of kernels that the recording does not contain
};

// Matches launches by name, grid and block. If no name matches, they are matched by base name
// (without namespaces and template arguments), grid and block. This is done only if a single
// recorded kernel and a single measured kernel have these.
JoinedCounters JoinCounters(const Profile& profile, const std::vector<MeasuredLaunch>& launches);

// Says which launches to measure so that the largest kernels are covered. Nsight Compute accepts
// base names of kernels and a number: it measures that many launches of each grid and block, from
// the first one on.
struct LaunchesToMeasure {
  std::vector<std::string> kernels;  // base names, each once; empty = measuring is not worthwhile
  size_t of_each = 0;                // number of launches of each grid and block
  double share = 0;                  // share of these kernels in the time of all kernels
};
LaunchesToMeasure ChooseLaunches(const Profile& profile, const GpuWorkEvents& events);

}  // namespace gprofx
