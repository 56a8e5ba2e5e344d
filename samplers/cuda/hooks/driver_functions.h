// The driver's functions that we follow, and the memory where libraries keep pointers to them.
//
// CUPTI knows their names; dlsym and the driver's cuGetProcAddress return their addresses. The
// writable data of all loaded libraries except the driver's own is searched for these addresses. It
// is read by copying, as a library may be unloaded meanwhile, and written under the loader's lock.
// Our own thread only; replaced pointers are never restored.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "samplers/cuda/hooks/followed_call.h"

namespace gprofx::cuda {

struct DriverFunction {
  FollowedCall what;
  uint64_t address;
};

// Returns all functions that we follow, each address once. Empty if there is no driver.
std::vector<DriverFunction> FindDriverFunctions();

struct Replacement {
  uint64_t from, to;
};
// Writes `to` wherever a library has `from`, and returns the number of replacements. `of_library`:
// an address in the only library to search; 0 = all except the driver's own.
int ReplacePointers(std::span<const Replacement> replacements, uint64_t of_library = 0);

// Changes whenever a library is loaded or unloaded; 0 = unknown now.
uint64_t LibraryChanges();

}  // namespace gprofx::cuda
