// Splits the time of each step into parts: compute, exposed communication, exposed copies, and idle
// time by cause. Communication is exposed if no compute kernel runs at the same time; copies are
// exposed if neither compute kernels nor communication do. Used inside core/variability only.
//
// Idle time that a waiting call covers belongs to that call. The kMaxWaits calls with the most time
// get a part each; all other calls share one part (kOtherCauses). CPU samples explain the other
// idle time of a step. If they represent more than that time, they are scaled down in proportion
// (core/gpu/idle_share.h). The rest of the idle time is unexplained. If no file has host data, idle
// time is one part (kIdle); if only some files have it, the idle time of the lanes without host
// data is unexplained. All values are integers that do not depend on the order of events. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/variability/statistics/tally.h"

namespace gprofx::variability {

inline constexpr char kIdle[] = "idle";
inline constexpr char kOtherCauses[] = "idle.other causes";
inline constexpr size_t kMaxWaits = 8;

struct LaneParts {
  uint32_t lane = 0;
  std::vector<int64_t> ns;  // by step after the warm-up: its parts, in the order of `names`
};

struct StepParts {
  // Names of the parts: "compute", "exposed communication", "exposed copies", then the idle parts.
  // These are kIdle, or the names of core/gpu/gpu.h with the largest first and unexplained idle
  // time last.
  std::vector<std::string> names;
  std::vector<LaneParts> lanes;  // lanes with steps

  std::span<const int64_t> Step(const LaneParts& lane, size_t k) const {
    return std::span(lane.ns).subspan(k * names.size(), names.size());
  }
};

StepParts PartsOf(const Plan& plan, const Tally& tally);

}  // namespace gprofx::variability
