// A thread's state of exceptions (Itanium C++ ABI, 2.2.2), in place of libstdc++'s.
//
// Its own is made in each thread when the first exception is thrown there, by malloc; glibc ends
// the program if that fails, and "no memory" is the one exception that this library throws. These
// 16 bytes are there from the start of each thread.
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
