// Gives the cost of recording (core/cost/own_cost.h) as whole numbers, for all front ends. Pure.
#pragma once

#include <cstdint>

#include "core/model/profile.h"

namespace gprofx {

// What is known of how much the recording slowed the program.
enum class OwnCostState : uint8_t {
  kUnknown,  // a trace of another tool, or an older recording
  kKnown,
  // Only high_ppm is known: low_ppm is 0 or less than half of it, or the program mostly waits, for
  // example for its GPU.
  kBounded,
};
struct OwnCostFigures {
  OwnCostState state = OwnCostState::kUnknown;
  // Relative to the time without recording; the estimate and its 95 % interval.
  int64_t ppm = 0, low_ppm = 0, high_ppm = 0;
};

OwnCostFigures OwnCostFiguresOf(const Profile& profile);

}  // namespace gprofx
