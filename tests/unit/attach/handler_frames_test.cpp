#include "samplers/attach/handler_frames.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>

#include <catch2/catch.hpp>

using namespace gprofx;
using namespace gprofx::attach;

namespace {

bool g_in_library = true, g_on_other_stack = false;

uint64_t Here() { return reinterpret_cast<uint64_t>(__builtin_frame_address(0)); }

bool Asked() {
  const ProcessHandle process(getpid());
  const RemoteMemory memory(process);
  const LoadedObjects objects(getpid(), memory);
  return HandlersInterruptedProgram(memory, objects, Here());
}

void RaiseByItself(int signal) {
  long result = SYS_tkill;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(static_cast<long>(gettid())), "S"(static_cast<long>(signal))
               : "rcx", "r11", "memory");
}

void OnSignal(int) { g_in_library = Asked(); }
void OnSignalElsewhere(int) { g_on_other_stack = Asked(); }

}  // namespace

TEST_CASE("a handler that interrupted the C library is seen by its frame") {
  CHECK(Asked());
  signal(SIGUSR1, OnSignal);
  raise(SIGUSR1);  // within libc
  CHECK(!g_in_library);
}

TEST_CASE("a handler on another stack is followed to the one that it interrupted") {
  constexpr size_t kBytes = 1 << 20;
  void* room = std::aligned_alloc(4096, kBytes);
  const stack_t other{room, 0, kBytes};
  stack_t before{};
  REQUIRE(sigaltstack(&other, &before) == 0);
  struct sigaction action {};
  // The second one interrupts code of ours, the first one libc's raise.
  action.sa_handler = [](int) { RaiseByItself(SIGUSR2); };
  action.sa_flags = 0;
  sigaction(SIGUSR1, &action, nullptr);
  action.sa_handler = OnSignalElsewhere;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR2, &action, nullptr);
  RaiseByItself(SIGUSR1);
  CHECK(g_on_other_stack);
  raise(SIGUSR1);
  CHECK(!g_on_other_stack);
  sigaltstack(&before, nullptr);
  std::free(room);
}
