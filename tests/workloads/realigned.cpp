// Functions whose stack is realigned for AVX: their CFA is *(rbp+off), reached through r10. argv[1]
// = seconds of CPU time.
#include <immintrin.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>

static double CpuSeconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

static volatile double sink;

extern "C" __attribute__((noinline)) void burn_below(double* four) {
  for (int i = 0; i < 20000; ++i) sink = sink + four[i & 3];
}

extern "C" __attribute__((noinline, target("avx"))) void realigned(double seed, int count) {
  alignas(64) double values[8];
  for (int i = 0; i < 8; ++i) values[i] = seed * i;
  auto* extra = static_cast<char*>(
      __builtin_alloca(static_cast<size_t>(16 + count)));  // a variable frame as well
  extra[0] = static_cast<char>(count);
  burn_below(values);
  sink = sink + extra[0];
}

int main(int, char** argv) {
  const double end = std::atof(argv[1]);
  for (int i = 0; CpuSeconds() < end; ++i) realigned(0.5, i % 100);
  std::puts("done");
}
