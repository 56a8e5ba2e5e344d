// Takes SIGSEGV, SIGBUS and signal 33 by the system call itself, behind libc's back, as some
// runtimes do; then burns on two threads with 10, 20, 30 and 40 % in four functions, now and then
// with a stack full of addresses that cannot be read. argv: SECONDS
#include <signal.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "fill_stack.h"
#include "samplers/agent/libc/raw_syscall.h"

using gprofx::agent::AsArgument;
using gprofx::agent::RawSyscall;

extern "C" void RawReturn();
asm(".text\n.globl RawReturn\nRawReturn:\n" GPROFX_RAW_RETURN);

namespace {

volatile sig_atomic_t g_faults = 0;
thread_local volatile uint64_t g_sum =
    0;  // threads that shared it would slow each other down at random

void OnSignal(int signal) {
  if (signal == SIGSEGV || signal == SIGBUS) {
    g_faults = g_faults + 1;
    _exit(8);
  }
}

void Take(int signal) {
  struct {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)();
    unsigned long mask;
  } action{OnSignal, 0x04000000 /* SA_RESTORER */ | SA_ONSTACK | SA_RESTART, RawReturn, ~0ul};
  RawSyscall(SYS_rt_sigaction, signal, AsArgument(&action), 0, 8);
}

// By multiplications that wait for each other: a loop through memory takes twice as long on some
// processors where its code happens to lie badly.
#define BURN(name, rounds)                                                        \
  __attribute__((noinline)) void name() {                                         \
    uint64_t sum = g_sum;                                                         \
    for (uint64_t i = 0; i < (rounds); ++i) sum = sum * 6364136223846793005u + i; \
    g_sum = sum;                                                                  \
  }
BURN(Ten, 100000)
BURN(Twenty, 200000)
BURN(Thirty, 300000)
BURN(Forty, 400000)

void Work(double seconds) {
  const uint64_t vdso = getauxval(AT_SYSINFO_EHDR);
  timespec begin{}, now{};
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    Ten();
    Twenty();
    Thirty();
    Forty();
    FillAndSpin(vdso, 20000);
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (static_cast<double>(now.tv_sec - begin.tv_sec) +
               static_cast<double>(now.tv_nsec - begin.tv_nsec) * 1e-9 <
           seconds);
}

}  // namespace

int main(int, char** argv) {
  for (const int signal : {SIGSEGV, SIGBUS, 33}) Take(signal);
  std::thread first(Work, std::atof(argv[1])), second(Work, std::atof(argv[1]));
  first.join();
  second.join();
  std::printf("faults %d\n", static_cast<int>(g_faults));
}
