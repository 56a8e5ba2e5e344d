// Burns on a thread with a small alternate stack (8 KiB on Rust's main thread), a guard page below
// it, while its stack is full of addresses that look like code and cannot be read. argv: SECONDS
// BYTES [storm|onstack]: a second thread sends it signals all the time, as debuggers get SIGCHLD,
// whose handler runs on the thread's stack or on the alternate one.
#include <pthread.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "fill_stack.h"

namespace {

volatile uint64_t g_sum = 0;

__attribute__((noinline)) void Burn(int depth) {
  if (depth > 0) Burn(depth - 1);
  for (int i = 0; i < 20000; ++i) g_sum = g_sum + static_cast<uint64_t>(i);
}

void* SendSignals(void* to) {
  for (;;) pthread_kill(*static_cast<pthread_t*>(to), SIGUSR1);
}

void StartStorm(bool on_stack) {
  static pthread_t self = pthread_self();
  struct sigaction action {};
  action.sa_handler = [](int) {};
  action.sa_flags = on_stack ? SA_ONSTACK : 0;
  sigaction(SIGUSR1, &action, nullptr);
  pthread_t sender;
  pthread_create(&sender, nullptr, &SendSignals, &self);
}

}  // namespace

int main(int argc, char** argv) {
  constexpr size_t kPages = 65536, kGuard = 4096;
  const auto bytes = static_cast<size_t>(std::atoi(argv[2]));
  auto* memory = static_cast<char*>(
      mmap(nullptr, kGuard + kPages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(memory, kGuard, PROT_NONE);
  stack_t stack{};
  stack.ss_sp = memory + kGuard;
  stack.ss_size = bytes;
  if (sigaltstack(&stack, nullptr) != 0) return 9;
  if (argc > 3) StartStorm(std::strcmp(argv[3], "onstack") == 0);
  const uint64_t vdso = getauxval(AT_SYSINFO_EHDR);
  timespec begin{}, now{};
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    FillAndSpin(vdso, 500000);
    Burn(30);
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (static_cast<double>(now.tv_sec - begin.tv_sec) < std::atof(argv[1]));
  std::puts("done");
}
