// Signal path. Random distances between looks at what is taken on trust: programs are periodic, and
// with a fixed distance each look may fall on the same place of a period. Pure.
#pragma once

#include <cstdint>

namespace gprofx::agent {

// 0 to 2 * `mean`, each as likely. `state`: any number at first. A linear congruential generator,
// of which the upper bits are good enough here.
inline uint32_t RandomDistance(uint32_t* state, uint32_t mean) {
  *state = *state * 1664525 + 1013904223;
  return static_cast<uint32_t>(uint64_t{*state} * (2 * mean + 1) >> 32);
}

}  // namespace gprofx::agent
