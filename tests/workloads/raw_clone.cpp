// A thread made by clone(2) itself, behind pthread_create's back. argv[1] = seconds it burns.
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

static double seconds;
static volatile double sink;
static volatile int child_tid = 1;

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
  seconds = std::atof(argv[1]);
  char* stack = static_cast<char*>(
      mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
                    CLONE_SYSVSEM | CLONE_CHILD_CLEARTID;
  if (clone(burn_raw, stack + (1 << 20), flags, nullptr, nullptr, nullptr, &child_tid) < 0)
    return 1;
  while (child_tid != 0) {
    for (int i = 0; i < 100000; ++i)
      sink = sink + i;  // the main thread runs too: it is asked to arm the other's timer
  }
  std::puts("done");
}
