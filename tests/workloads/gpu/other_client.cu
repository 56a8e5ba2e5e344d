// A program that is a CUPTI client itself, from before CUDA starts. argv: the path of libcupti
#include "common.h"

__global__ void client_kernel(int* x) { atomicAdd(x, 1); }

static void Ignore(void*, int, unsigned, const void*) {}

int main(int argc, char** argv) {
  void* library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : nullptr;
  using Subscribe = int (*)(void**, void (*)(void*, int, unsigned, const void*), void*);
  auto subscribe =
      library ? reinterpret_cast<Subscribe>(dlsym(library, "cuptiSubscribe")) : nullptr;
  void* subscriber = nullptr;
  const int result = subscribe ? subscribe(&subscriber, Ignore, nullptr) : -1;
  RequireGpu();
  int *x = nullptr, sum = 0;
  CHECK(cudaMalloc(&x, sizeof *x));
  CHECK(cudaMemset(x, 0, sizeof *x));
  for (int i = 0; i < 100; ++i) client_kernel<<<1, 1>>>(x);
  CHECK(cudaMemcpy(&sum, x, sizeof sum, cudaMemcpyDeviceToHost));
  printf("sum %d\n", sum);
  Facts("{\"subscribed\": %d}", result);
  return sum == 100 ? 0 : 1;
}
