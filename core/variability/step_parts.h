// Steps as sums of parts: computing, what of communication and copies nothing hides, and idle time
// by cause. Used inside core/variability only.
//
// CPU samples explain at most the idle time of a step that no waiting call covers, in proportion
// (core/gpu/idle_share.h); the rest is unexplained. Of many waiting calls those with the most time
// have a part, the others one together. Where no file tells anything of its hosts, idle is one
// part; lanes of those that do not, beside some that do, are unexplained. Integers, the same in any
// order. Pure.
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
  std::vector<int64_t> ns;  // of each step behind warm-up: its parts in order
};

struct StepParts {
  // "compute", "exposed communication", "exposed copies", then kIdle or names of idle parts as in
  // core/gpu/gpu.h, the largest first and unexplained last.
  std::vector<std::string> names;
  std::vector<LaneParts> lanes;  // those with steps

  std::span<const int64_t> Step(const LaneParts& lane, size_t k) const {
    return std::span(lane.ns).subspan(k * names.size(), names.size());
  }
};

StepParts PartsOf(const Plan& plan, const Tally& tally);

}  // namespace gprofx::variability
