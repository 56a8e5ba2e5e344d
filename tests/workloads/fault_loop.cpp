// Faults on purpose, as just-in-time compilers do, and goes on behind the load: its handler must
// see where the fault was, whatever else is pending. Prints how often it did not.
#include <signal.h>
#include <time.h>
#include <ucontext.h>

#include <cstdio>

extern "C" const char fault_here[], fault_done[];

namespace {

volatile long g_faults = 0, g_wrong = 0;

void Handler(int, siginfo_t*, void* context) {
  greg_t& ip = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP];
  g_faults = g_faults + 1;
  if (ip != reinterpret_cast<greg_t>(fault_here)) g_wrong = g_wrong + 1;
  ip = reinterpret_cast<greg_t>(fault_done);
}

double Seconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

}  // namespace

__attribute__((noinline)) void Fault() {
  asm volatile(
      "xor %%eax, %%eax\n"
      ".globl fault_here, fault_done\n"
      "fault_here: mov (%%rax), %%eax\n"
      "fault_done:\n" ::
          : "rax", "memory");
}

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
