// Finds the original of a function that we interpose. It is in libc, or in another library that
// interposes the function too.
#pragma once

#include <dlfcn.h>

namespace gprofx::agent {

// Returns the next definition of the function `name`. Looks it up once and keeps it in `cached`.
// Returns null if there is none.
template <class F>
F Real(F& cached, const char* name) {
  if (cached == nullptr) cached = reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
  return cached;
}

}  // namespace gprofx::agent
