// Holds a thread's exception state (Itanium C++ ABI, 2.2.2) in place of libstdc++.
//
// libstdc++ allocates this state with malloc when a thread throws its first exception, and glibc
// ends the program if that fails. But the one exception that this library throws is std::bad_alloc,
// when there is no memory. These 16 bytes exist from the start of each thread.
#include <cxxabi.h>

namespace {

struct Globals {
  void* caught;
  unsigned int uncaught;
};
__attribute__((tls_model("initial-exec"))) thread_local Globals t_globals{};

}  // namespace

extern "C" {

abi::__cxa_eh_globals* __cxxabiv1::__cxa_get_globals() noexcept {
  return reinterpret_cast<abi::__cxa_eh_globals*>(&t_globals);
}
abi::__cxa_eh_globals* __cxxabiv1::__cxa_get_globals_fast() noexcept {
  return __cxxabiv1::__cxa_get_globals();
}

}  // extern "C"
