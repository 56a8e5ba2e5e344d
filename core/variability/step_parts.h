// Splits steps into parts: compute, communication and copies that nothing hides, and idle time by
// cause. Used inside core/variability only.
//
// Idle time that a waiting call covers belongs to that call. The kMaxWaits calls with the most time
// get a part each, and all other calls share one. CPU samples explain the other idle time of a
// step; if they stand for more than that time, they are scaled down in proportion
// (core/gpu/idle_share.h). The remainder is unexplained. If no file has host data, idle is one
// part; if only some have, the idle time of lanes without it is unexplained. Integers, the same in
// any order. Pure.
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
  std::vector<int64_t> ns;  // for each step after warm-up: its parts in order
};

struct StepParts {
  // "compute", "exposed communication", "exposed copies", then kIdle or idle parts named as in
  // core/gpu/gpu.h, largest first and unexplained last.
  std::vector<std::string> names;
  std::vector<LaneParts> lanes;  // those with steps

  std::span<const int64_t> Step(const LaneParts& lane, size_t k) const {
    return std::span(lane.ns).subspan(k * names.size(), names.size());
  }
};

StepParts PartsOf(const Plan& plan, const Tally& tally);

}  // namespace gprofx::variability
