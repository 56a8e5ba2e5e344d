// Threads made by clone(2) itself, behind pthread_create's back, one after the other. Nobody but
// the kernel knows that they end.
//   raw_clone COUNT SECONDS REST    SECONDS of CPU time each; the main thread runs on for REST
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

static double Seconds(clockid_t clock) {
  timespec t;
  syscall(SYS_clock_gettime, clock, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

static void Burn() {
  for (int i = 0; i < 100000; ++i) sink = sink + i;
}

extern "C" __attribute__((noinline)) int burn_raw(void*) {
  while (Seconds(CLOCK_THREAD_CPUTIME_ID) < seconds) {
    for (int i = 0; i < 100000; ++i) sink = sink + i;  // not by Burn: its name is the test's
  }
  return 0;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  seconds = std::atof(argv[2]);
  char* stack = static_cast<char*>(
      mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
                    CLONE_SYSVSEM | CLONE_CHILD_CLEARTID;
  for (int i = std::atoi(argv[1]); i > 0; --i) {
    child_tid = 1;
    if (clone(burn_raw, stack + (1 << 20), flags, nullptr, nullptr, nullptr, &child_tid) < 0)
      return 1;
    // The main thread runs too: it is asked to arm the other's timer.
    while (child_tid != 0) Burn();
  }
  const double end = Seconds(CLOCK_MONOTONIC) + std::atof(argv[3]);
  while (Seconds(CLOCK_MONOTONIC) < end) Burn();
  std::puts("done");
}
