// Runs in signal handlers. Chooses random distances between checks of trusted data. Programs are
// periodic: with a fixed distance, every check could hit the same phase of a period. Pure.
#pragma once

#include <cstdint>

namespace gprofx::agent {

// Returns a uniformly distributed number from 0 to 2 * `mean`. `state` is the state of a linear
// congruential generator; any initial value will do. The result uses the upper bits, which are
// random enough here.
inline uint32_t RandomDistance(uint32_t* state, uint32_t mean) {
  *state = *state * 1664525 + 1013904223;
  return static_cast<uint32_t>(uint64_t{*state} * (2 * mean + 1) >> 32);
}

}  // namespace gprofx::agent
