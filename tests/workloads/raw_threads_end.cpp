// Threads made by clone(2) itself, one after the other. Nobody but the kernel knows that they end.
//   raw_threads_end COUNT SECONDS    (SECONDS of CPU time each)
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

static double seconds;
static volatile double sink;
static volatile int child_tid;

static double CpuSeconds() {
  timespec t;
  syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

extern "C" __attribute__((noinline)) int burn_raw(void*) {
  while (CpuSeconds() < seconds) {
    for (int i = 0; i < 100000; ++i) sink = sink + i;
  }
  return 0;
}

int main(int, char** argv) {
  seconds = std::atof(argv[2]);
  char* stack = static_cast<char*>(
      mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
                    CLONE_SYSVSEM | CLONE_CHILD_CLEARTID;
  for (int i = std::atoi(argv[1]); i > 0; --i) {
    child_tid = 1;
    if (clone(burn_raw, stack + (1 << 20), flags, nullptr, nullptr, nullptr, &child_tid) < 0)
      return 1;
    while (child_tid != 0) {
      for (int k = 0; k < 100000; ++k) sink = sink + k;  // adoption is asked of a thread that runs
    }
  }
  // Long enough for their end to be seen.
  timespec now{}, begin{};
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    for (int k = 0; k < 100000; ++k) sink = sink + k;
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (now.tv_sec - begin.tv_sec < 3);
  std::puts("done");
}
