// Finds the original of a function that we interpose. The original is in libc, or in another
// library that interposes the function too.
#pragma once

#include <dlfcn.h>

namespace gprofx::agent {

// Returns the definition of function `name` that follows ours in the search order. Looks it up once
// and keeps it in `cached`. Returns null if there is none.
template <class F>
F Real(F& cached, const char* name) {
  if (cached == nullptr) cached = reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
  return cached;
}

}  // namespace gprofx::agent
