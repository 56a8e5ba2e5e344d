// Finds the driver's functions that we follow, and the places in memory where libraries keep
// pointers to them.
//
// CUPTI knows the names of these functions; dlsym and the driver's cuGetProcAddress return their
// addresses. The writable data of all loaded libraries except the driver's own is searched for
// these addresses. The data is read by copying, because a library may be unloaded meanwhile, and
// written with the loader's lock held. For our own thread only. Replaced pointers are never
// restored.
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

// Returns all driver functions that we follow, each address once. Returns an empty result if there
// is no driver.
std::vector<DriverFunction> FindDriverFunctions();

struct Replacement {
  uint64_t from, to;
};
// Writes Replacement::to wherever a library has Replacement::from. Returns the number of replaced
// pointers. `of_library` is an address in the only library to search; 0 = search all except the
// driver's own.
int ReplacePointers(std::span<const Replacement> replacements, uint64_t of_library = 0);

// Returns a number that changes whenever a library is loaded or unloaded. Returns 0 if it cannot be
// read now.
uint64_t LibraryChanges();

}  // namespace gprofx::cuda
