// A function of the program that one of ours of the same name hides: the first definition in the
// libraries behind ours, in the order in which they were loaded. (Another recording around this one
// has its own before.)
//
// dlsym(RTLD_NEXT) does not see libraries that were loaded with RTLD_LOCAL, as Python loads all,
// and takes the loader's lock, which a thread may hold that waits for the lock of our caller. So
// the list that the loader keeps for debuggers (r_debug of <link.h>) is walked without it; memory
// is read through the kernel, because a library may be unloaded meanwhile. The one that defines the
// function stays: somebody is calling it.
#pragma once

#include <atomic>
#include <cstdint>

namespace gprofx::memory {

// The address of the dynamic symbol `name` in a library behind our own; 0 = there is none. Any
// thread; no lock, no allocation.
uint64_t FindDefinition(const char* name);

// Looked for once; a few times where it is not found: a library that is unloaded at that moment can
// end the list early.
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
