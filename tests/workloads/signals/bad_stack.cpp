// Code without unwind information on a stack full of addresses that look like code and cannot be
// read: whoever walks it by looking faults thousands of times, with signals of its own pending.
#include <sys/auxv.h>
#include <time.h>

#include <cstdint>

#include "fill_stack.h"

int main() {
  // Right before the vdso lies memory that only the kernel may read.
  const uint64_t vdso = getauxval(AT_SYSINFO_EHDR);
  timespec begin{}, now{};
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    FillAndSpin(vdso, 2000000);
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (now.tv_sec - begin.tv_sec < 3);
  return 0;
}
