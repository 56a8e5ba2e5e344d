// Looks up functions of the driver that this process has loaded. Takes the loader's lock, so it
// must not be used within calls that the program makes.
#pragma once

#include <dlfcn.h>

#include "samplers/cuda/fork_pause.h"

namespace gprofx::cuda {

// Sets `function` to the driver's function `name` and returns true. If there is no driver, if it
// has no such function, or while a fork is in progress, sets `function` to null and returns false.
template <class Function>
bool FindInDriver(Function*& function, const char* name) {
  const ForkPause pause;
  void* driver = pause ? dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD) : nullptr;
  function = driver == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(driver, name));
  if (driver != nullptr) dlclose(driver);
  return function != nullptr;
}

}  // namespace gprofx::cuda
