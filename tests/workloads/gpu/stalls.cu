// Kernels whose leading stall is known. argv: KERNEL (or "all") LAUNCHES
//   memory_chase  a chain of dependent loads from memory        long_scoreboard
//   memory_stride loads that share no cache line                long_scoreboard or lg_throttle
//   compute_fma   a chain of dependent multiply-adds            wait
//   compute_sfu   a chain of dependent special functions        left to ncu
//   sync_barrier  one warp works, the others wait for it        barrier
#include <cstring>

#include "common.h"

constexpr uint32_t kWords = 1u << 26;  // 256 MB: far more than the cache

// A full cycle through all words: a linear congruential generator of full period.
__global__ void fill_cycle(uint32_t* next) {
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < kWords;
       i += gridDim.x * blockDim.x) {
    next[i] = (i * 1664525u + 1013904223u) & (kWords - 1);
  }
}

__global__ void memory_chase(const uint32_t* next, uint32_t* out) {
  uint32_t at = (blockIdx.x * blockDim.x + threadIdx.x) * 7919u & (kWords - 1);
  for (int i = 0; i < 4000; ++i) at = next[at];
  out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

__global__ void memory_stride(const uint32_t* in, uint32_t* out) {
  uint32_t sum = 0;
  uint32_t at = (blockIdx.x * blockDim.x + threadIdx.x) * 32u;
  for (int i = 0; i < 2000; ++i) {
    sum += in[at & (kWords - 1)];
    at += 32u * 1048583u;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void compute_fma(uint32_t* out, float factor) {
  float x = threadIdx.x;
  for (int i = 0; i < 20000; ++i) {
#pragma unroll
    for (int k = 0; k < 32; ++k) x = fmaf(x, factor, 0.5f);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = __float_as_uint(x);
}

__global__ void compute_sfu(uint32_t* out, float start) {
  float x = start + threadIdx.x;
  for (int i = 0; i < 4000; ++i) {
#pragma unroll
    for (int k = 0; k < 16; ++k) x = __sinf(x);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = __float_as_uint(x);
}

__global__ void sync_barrier(uint32_t* out, float factor) {
  float x = threadIdx.x;
  for (int i = 0; i < 2000; ++i) {
    if (threadIdx.x < 32) {
#pragma unroll
      for (int k = 0; k < 128; ++k) x = fmaf(x, factor, 0.5f);
    }
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = __float_as_uint(x);
}

int main(int argc, char** argv) {
  RequireGpu();
  const char* only = argc > 1 ? argv[1] : "all";
  const long launches = Argument(argc, argv, 2, 50);
  const int blocks = MultiprocessorCount();
  uint32_t *words = nullptr, *out = nullptr;
  CHECK(cudaMalloc(&words, size_t{4} * kWords));
  CHECK(cudaMalloc(&out, size_t{4} * blocks * 1024));
  fill_cycle<<<blocks * 4, 256>>>(words);
  auto wanted = [only](const char* name) { return !strcmp(only, "all") || !strcmp(only, name); };
  for (long i = 0; i < launches; ++i) {
    if (wanted("memory_chase")) memory_chase<<<blocks, 256>>>(words, out);
    if (wanted("memory_stride")) memory_stride<<<blocks, 1024>>>(words, out);
    // One warp per scheduler: nothing else can issue while the chain waits.
    if (wanted("compute_fma")) compute_fma<<<blocks, 128>>>(out, 0.999f);
    if (wanted("compute_sfu")) compute_sfu<<<blocks, 128>>>(out, 0.5f);
    if (wanted("sync_barrier")) sync_barrier<<<blocks, 1024>>>(out, 0.999f);
  }
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  printf("%s %ld\n", only, launches);
  return 0;
}
