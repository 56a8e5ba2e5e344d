// The driver's functions that launch kernels, and the places where libraries keep pointers to them.
//
// Found by what the driver answers to dlsym and cuGetProcAddress, and by reading the writable data of
// all loaded libraries but the driver's own. It is read by copying, as a library may be unloaded
// meanwhile, and written under the loader's lock. Our own thread only; what was once replaced stays so.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gprofx::cuda {

struct LaunchFunction {
  enum Form : uint8_t { kPlain, kWithConfig } form;  // cuLaunchKernel, cuLaunchKernelEx
  uint64_t address;
};

// Each once. Empty: there is no driver.
std::vector<LaunchFunction> FindLaunchFunctions();

struct Replacement {
  uint64_t from, to;
};
// Writes `to` wherever a library has `from`; `of_library`: an address in the only one that counts,
// 0 = in all but the driver's own. How many there were.
int ReplacePointers(std::span<const Replacement> replacements, uint64_t of_library = 0);

// Changes whenever a library was loaded or unloaded; 0 = not known now.
uint64_t LibraryChanges();

}  // namespace gprofx::cuda
