// Faults on purpose, as just-in-time compilers do, and goes on behind the load: its handler must
// see where the fault was, whatever else is pending. Prints how often it did not.
#include <signal.h>
#include <time.h>
#include <ucontext.h>

#include <cstdio>
#include <type_traits>

#include "machine/machine.h"

extern "C" const char fault_here[], fault_done[];

namespace {

volatile long g_faults = 0, g_wrong = 0;

using Address = std::remove_reference_t<decltype(InstructionPointer(nullptr))>;
Address Number(const char* place) {
  return static_cast<Address>(reinterpret_cast<intptr_t>(place));
}

void Handler(int, siginfo_t*, void* context) {
  auto& ip = InstructionPointer(static_cast<ucontext_t*>(context));
  g_faults = g_faults + 1;
  if (ip != Number(fault_here)) g_wrong = g_wrong + 1;
  ip = Number(fault_done);
}

double Seconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

}  // namespace

__attribute__((noinline)) void Fault() { GPROFX_FAULT; }

int main() {
  struct sigaction action {};
  action.sa_sigaction = Handler;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
  const double end = Seconds() + 2;
  while (Seconds() < end) {
    for (int i = 0; i < 100; ++i) Fault();
  }
  std::printf("wrong %ld\n", g_wrong);
  return g_faults > 1000 ? 0 : 1;
}
