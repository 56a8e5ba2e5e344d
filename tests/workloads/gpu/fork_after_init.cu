// Forks after CUDA was initialised: the child works on the CPU, the parent goes on with the GPU.
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"

__global__ void parent_kernel(int* x) { atomicAdd(x, 1); }

__attribute__((noinline)) unsigned ChildWork() {
  unsigned x = 1;
  for (unsigned i = 0; i < 300'000'000; ++i) x = x * 1664525u + i;
  return x;
}

int main() {
  RequireGpu();
  int* x = nullptr;
  CHECK(cudaMalloc(&x, sizeof *x));
  CHECK(cudaMemset(x, 0, sizeof *x));
  parent_kernel<<<1, 100>>>(x);
  CHECK(cudaDeviceSynchronize());
  const pid_t child = fork();
  if (child == 0) {
    printf("child %u\n", ChildWork());
    fflush(stdout);
    _exit(9);
  }
  for (int i = 0; i < 100; ++i) parent_kernel<<<1, 100>>>(x);
  int sum = 0;
  CHECK(cudaMemcpy(&sum, x, sizeof sum, cudaMemcpyDeviceToHost));
  int status = 0;
  if (waitpid(child, &status, 0) != child) return 1;
  printf("parent %d, child's status %d\n", sum, WEXITSTATUS(status));
  return sum == 10100 ? 0 : 1;
}
