// Four kernels that take 10, 20, 30 and 40 % of the GPU's time, each launched by its own host
// function. argv: ROUNDS of 10 ms at 2 GHz
#include "common.h"

constexpr long long kUnit = 2'000'000;  // SM cycles of the shortest kernel

__device__ void Spin(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

__global__ void spin_10() { Spin(1 * kUnit); }
__global__ void spin_20() { Spin(2 * kUnit); }
__global__ void spin_30() { Spin(3 * kUnit); }
__global__ void spin_40() { Spin(4 * kUnit); }

static int blocks;

__attribute__((noinline)) void Launch10() { spin_10<<<blocks, 128>>>(); }
__attribute__((noinline)) void Launch20() { spin_20<<<blocks, 128>>>(); }
__attribute__((noinline)) void Launch30() { spin_30<<<blocks, 128>>>(); }
__attribute__((noinline)) void Launch40() { spin_40<<<blocks, 128>>>(); }

int main(int argc, char** argv) {
  RequireGpu();
  const long rounds = Argument(argc, argv, 1, 300);
  blocks = MultiprocessorCount();
  for (long i = 0; i < rounds; ++i) {
    Launch10();
    Launch20();
    Launch30();
    Launch40();
    CHECK(cudaGetLastError());
    if (i % 20 == 19) CHECK(cudaDeviceSynchronize());
  }
  CHECK(cudaDeviceSynchronize());
  printf("launches %ld\n", 4 * rounds);
  return 0;
}
