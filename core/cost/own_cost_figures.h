// The recording's own cost (core/cost/own_cost.h) as whole numbers, for all front ends. Pure.
#pragma once

#include <cstdint>

#include "core/model/profile.h"

namespace gprofx {

// How much the recording slowed the program, as measured by itself (core/cost/own_cost.h).
enum class OwnCostState : uint8_t {
  kUnknown,  // a trace of another tool, or an older recording
  kKnown,
  kBounded,  // only high_ppm is known: low_ppm is 0 or less than half of it, or the program mostly
             // waits, e.g. for its GPU
};
struct OwnCostFigures {
  OwnCostState state = OwnCostState::kUnknown;
  int64_t ppm = 0, low_ppm = 0, high_ppm = 0;  // of the time, and its 95 % interval
};

OwnCostFigures OwnCostFiguresOf(const Profile& profile);

}  // namespace gprofx
