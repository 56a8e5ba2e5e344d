// Computes the cost of recording (core/cost/own_cost.h) as whole numbers that all front ends show.
// Pure.
#pragma once

#include <cstdint>

#include "core/model/profile.h"

namespace gprofx {

// Says how much is known about the slowdown by recording.
enum class OwnCostState : uint8_t {
  kUnknown,  // a trace of another tool, or an older recording
  kKnown,
  // Only high_ppm is known. This is the case if low_ppm is 0 or less than half of high_ppm, or if
  // the program mostly waits, for example for its GPU.
  kBounded,
};
struct OwnCostFigures {
  OwnCostState state = OwnCostState::kUnknown;
  // Slowdown relative to the time without recording, in millionths: estimate and limits of its 95 %
  // interval.
  int64_t ppm = 0, low_ppm = 0, high_ppm = 0;
};

OwnCostFigures OwnCostFiguresOf(const Profile& profile);

}  // namespace gprofx
