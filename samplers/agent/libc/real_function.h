// Finds the original of a function that we interpose: libc's, or that of another library that
// interposes it too.
#pragma once

#include <dlfcn.h>

namespace gprofx::agent {

// Looks up the function once. Null if there is none.
template <class F>
F Real(F& cached, const char* name) {
  if (cached == nullptr) cached = reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
  return cached;
}

}  // namespace gprofx::agent
