// Stores measured FLOP and bytes of kernels, from a table of Nsight Compute, in a finished profile.
// Blocking; one thread. Errors are one line.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"

namespace gprofx {

struct StoredCounters {
  int64_t measured = 0;   // launches in the table
  int64_t not_found = 0;  // of these, not in the profile
  int64_t configs = 0;    // launch configurations of the profile that now have counters
  double share = 0;       // share of kernel time of these configurations
};

// Replaces earlier measurements. Fails if no launch belongs to the profile.
Result<StoredCounters> StoreCounters(const std::string& table, const std::string& profile);

// "412 launches of 31 kernels and launch configurations measured, 96% of the kernels' time".
std::string CountersLine(const StoredCounters& stored);

}  // namespace gprofx
