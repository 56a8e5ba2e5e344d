// Finds the function that a function of the same name in our library hides: the first definition in
// the libraries that were loaded after ours. (If this recording runs inside another one, the other
// one's library comes before ours.)
//
// dlsym(RTLD_NEXT) cannot be used. It does not see libraries loaded with RTLD_LOCAL, as Python
// loads all of them. It also takes the loader's lock, which a thread may hold that waits for our
// caller's lock. So we walk the list that the loader keeps for debuggers (r_debug of <link.h>)
// without that lock. Memory is read through the kernel, because a library may be unloaded
// meanwhile. The library that defines the function stays loaded, because its code is calling us.
#pragma once

#include <atomic>
#include <cstdint>

namespace gprofx::memory {

// Returns the address of the dynamic symbol `name` in a library that was loaded after our own.
// Returns 0 if there is none. Any thread; no lock, no allocation.
uint64_t FindDefinition(const char* name);

// Searches for a definition once and keeps the result. A failed search is repeated a few times,
// because a library that is being unloaded at that moment can cut the list short.
class RealFunction {
 public:
  template <class Function>
  Function As(const char* name) {
    uint64_t at = at_.load(std::memory_order_acquire);
    if (at == kNotLooked) {
      at = FindDefinition(name);
      if (at != 0 || tries_.fetch_add(1, std::memory_order_relaxed) >= kMaxTries) {
        at_.store(at, std::memory_order_release);
      }
    }
    return reinterpret_cast<Function>(at);
  }

 private:
  static constexpr uint64_t kNotLooked = 1;
  static constexpr int kMaxTries = 16;
  std::atomic<uint64_t> at_{kNotLooked};
  std::atomic<int> tries_{0};
};

}  // namespace gprofx::memory
