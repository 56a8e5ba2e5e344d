// Adds the FLOP and bytes of kernels that Nsight Compute measured to a finished profile. Blocking;
// one thread. Errors are one line.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"

namespace gprofx {

struct StoredCounters {
  int64_t measured = 0;   // launches in the table of Nsight Compute
  int64_t not_found = 0;  // those of them that are not in the profile
  int64_t configs = 0;    // launch configurations of the profile that now have counters
  double share = 0;       // fraction of the kernel time that these configurations take
};

// Stores the measurements in the file `table` in `profile`, where they replace earlier ones. Fails
// if no launch in the table belongs to the profile.
Result<StoredCounters> StoreCounters(const std::string& table, const std::string& profile);

// Returns a summary: "412 launches of 31 kernels and launch configurations measured, 96% of the
// kernels' time".
std::string CountersLine(const StoredCounters& stored);

}  // namespace gprofx
