// Measured FLOP and bytes of a profile's kernels: a table of Nsight Compute goes into a finished
// profile. Blocking; one thread. Errors are one line.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"

namespace gprofx {

struct StoredCounters {
  int64_t measured = 0;   // launches in the table
  int64_t not_found = 0;  // of them: of kernels that the profile does not have
  int64_t configs = 0;    // launch configurations of the profile that have counters now
  double share = 0;       // of its kernels' time that those took
};

// Replaces what was measured before. An error where not one launch belongs to the profile.
Result<StoredCounters> StoreCounters(const std::string& table, const std::string& profile);

// "412 launches of 31 kernels and launch configurations measured, 96% of the kernels' time".
std::string CountersLine(const StoredCounters& stored);

}  // namespace gprofx
