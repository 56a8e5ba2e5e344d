// Copies and sets of every kind, counted. argv: ROUNDS
#include "common.h"

constexpr size_t kBytes = 4 << 20;

int main(int argc, char** argv) {
  RequireGpu();
  const long rounds = Argument(argc, argv, 1, 20);
  char *device = nullptr, *other = nullptr, *pinned = nullptr;
  char* pageable = static_cast<char*>(calloc(1, kBytes));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc(&device, kBytes));
  CHECK(cudaMalloc(&other, kBytes));
  CHECK(cudaMallocHost(&pinned, kBytes));
  for (long i = 0; i < rounds; ++i) {
    CHECK(cudaMemset(device, 1, kBytes));
    CHECK(cudaMemsetAsync(other, 2, kBytes, stream));
    CHECK(cudaMemcpy(device, pageable, kBytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(pageable, device, kBytes, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpyAsync(device, pinned, kBytes, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyAsync(pinned, device, kBytes, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaMemcpyAsync(other, device, kBytes, cudaMemcpyDeviceToDevice, stream));
    CHECK(cudaStreamSynchronize(stream));
  }
  printf("rounds %ld\n", rounds);
  return 0;
}
