// A stack of argv[1] C frames, burning at its end for argv[2] seconds of CPU time.
#include <sys/resource.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>

static double CpuSeconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

static volatile double sink;

extern "C" __attribute__((noinline)) void burn_deep(double until) {
  while (CpuSeconds() < until) {
    for (int i = 0; i < 100000; ++i) sink = sink + i;
  }
}

extern "C" __attribute__((noinline)) int dive(int depth, double until) {
  if (depth == 0) {
    burn_deep(until);
    return 0;
  }
  int below = dive(depth - 1, until);
  sink = sink + below;  // keeps this from being a tail call
  return below + 1;
}

int main(int, char** argv) { std::printf("%d\n", dive(std::atoi(argv[1]), std::atof(argv[2]))); }
