// Burns on a thread with a small alternate stack (8 KiB on Rust's main thread), a guard page below it,
// while its stack is full of addresses that look like code and cannot be read. argv: SECONDS BYTES
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "fill_stack.h"

namespace {

volatile uint64_t g_sum = 0;

__attribute__((noinline)) void Burn(int depth) {
  if (depth > 0) Burn(depth - 1);
  for (int i = 0; i < 20000; ++i) g_sum = g_sum + static_cast<uint64_t>(i);
}

}  // namespace

int main(int, char** argv) {
  constexpr size_t kPages = 65536, kGuard = 4096;
  const auto bytes = static_cast<size_t>(std::atoi(argv[2]));
  auto* memory = static_cast<char*>(mmap(nullptr, kGuard + kPages, PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(memory, kGuard, PROT_NONE);
  stack_t stack{};
  stack.ss_sp = memory + kGuard;
  stack.ss_size = bytes;
  if (sigaltstack(&stack, nullptr) != 0) return 9;
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
