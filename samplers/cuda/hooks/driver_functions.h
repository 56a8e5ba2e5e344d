// The driver's functions that we follow, and the places where libraries keep pointers to them.
//
// CUPTI knows their names, the driver answers to dlsym and cuGetProcAddress where they are. The
// writable data of all loaded libraries but the driver's own is searched for their addresses. It is
// read by copying, as a library may be unloaded meanwhile, and written under the loader's lock. Our
// own thread only; what was once replaced stays so.
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

// All that we follow, each address once. Empty: there is no driver.
std::vector<DriverFunction> FindDriverFunctions();

struct Replacement {
  uint64_t from, to;
};
// Writes `to` wherever a library has `from`; `of_library`: an address in the only one that counts,
// 0 = in all but the driver's own. How many there were.
int ReplacePointers(std::span<const Replacement> replacements, uint64_t of_library = 0);

// Changes whenever a library was loaded or unloaded; 0 = not known now.
uint64_t LibraryChanges();

}  // namespace gprofx::cuda
