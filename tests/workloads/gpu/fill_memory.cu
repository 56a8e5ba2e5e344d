// Takes nearly all memory of the device and works in it: a profiler must not take what is missing.
// argv: MEGABYTES to leave free
#include <vector>

#include "common.h"

constexpr size_t kChunk = 256 << 20;

__global__ void touch(char* memory, size_t bytes) {
  const size_t step = size_t{gridDim.x} * blockDim.x * 4096;
  for (size_t i = (size_t{blockIdx.x} * blockDim.x + threadIdx.x) * 4096; i < bytes; i += step) {
    memory[i] = 1;
  }
}

int main(int argc, char** argv) {
  RequireGpu();
  const size_t leave = size_t(Argument(argc, argv, 1, 256)) << 20;
  std::vector<char*> all;
  size_t free_bytes = 0, total = 0;
  CHECK(cudaMemGetInfo(&free_bytes, &total));
  while (free_bytes > leave + kChunk) {
    char* memory = nullptr;
    CHECK(cudaMalloc(&memory, kChunk));
    all.push_back(memory);
    CHECK(cudaMemGetInfo(&free_bytes, &total));
  }
  for (char* memory : all) touch<<<128, 256>>>(memory, kChunk);
  CHECK(cudaDeviceSynchronize());
  printf("worked in nearly all memory\n");
  Facts("{\"taken_mb\": %zu, \"total_mb\": %zu}", all.size() * (kChunk >> 20), total >> 20);
  return 0;
}
