// A kernel writes where it must not: the program says which error CUDA gives and ends with 7.
#include "common.h"

__global__ void good_kernel(int* x) { x[threadIdx.x] = threadIdx.x; }
__global__ void bad_kernel(int* x) { x[(1ull << 40) + threadIdx.x] = 1; }

int main() {
  RequireGpu();
  int* x = nullptr;
  CHECK(cudaMalloc(&x, 4096));
  for (int i = 0; i < 20; ++i) good_kernel<<<1, 32>>>(x);
  CHECK(cudaDeviceSynchronize());
  bad_kernel<<<1, 32>>>(x);
  const cudaError_t error = cudaDeviceSynchronize();
  const cudaError_t again = cudaFree(x);
  printf("%s, then %s\n", cudaGetErrorName(error), cudaGetErrorName(again));
  return error == cudaSuccess ? 0 : 7;
}
