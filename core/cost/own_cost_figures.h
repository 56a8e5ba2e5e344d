// What a recording says of its own cost (core/cost/own_cost.h), as whole numbers for all faces.
// Pure.
#pragma once

#include <cstdint>

#include "core/model/profile.h"

namespace gprofx {

// How much the recording slowed the program, as it has timed itself (core/cost/own_cost.h).
enum class OwnCostState : uint8_t {
  kUnknown,  // a trace of another tool, or an older recording
  kKnown,
  kBounded,  // to no better than a factor of two, or the program mostly waits, as for its GPU:
             // high_ppm
};
struct OwnCostFigures {
  OwnCostState state = OwnCostState::kUnknown;
  int64_t ppm = 0, low_ppm = 0, high_ppm = 0;  // of the time, and its 95 % interval
};

OwnCostFigures OwnCostFiguresOf(const Profile& profile);

}  // namespace gprofx
