// Functions of the driver that this process has loaded. Not in the agent's own calls of the
// program: the loader's lock is taken.
#pragma once

#include <dlfcn.h>

#include "samplers/cuda/fork_pause.h"

namespace gprofx::cuda {

// False: there is no driver, or it has no such function; it is null then.
template <class Function>
bool FindInDriver(Function*& function, const char* name) {
  const ForkPause pause;
  void* driver = pause ? dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD) : nullptr;
  function = driver == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(driver, name));
  if (driver != nullptr) dlclose(driver);
  return function != nullptr;
}

}  // namespace gprofx::cuda
