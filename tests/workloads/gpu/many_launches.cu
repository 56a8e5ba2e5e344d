// Small launches from threads on their own streams. argv: LAUNCHES (of each thread) THREADS
// RATE (launches a second in all; 0 = as fast as they go)
#include <chrono>
#include <thread>
#include <vector>

#include "common.h"

__global__ void tiny_kernel(unsigned* counter) {
  if (threadIdx.x == 0) atomicAdd(counter, 1u);
}

using Clock = std::chrono::steady_clock;

static void LaunchAll(long launches, double per_second, unsigned* counter) {
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const auto begin = Clock::now();
  for (long i = 0; i < launches; ++i) {
    tiny_kernel<<<1, 32, 0, stream>>>(counter);
    if (per_second > 0 && i % 64 == 63) {
      std::this_thread::sleep_until(begin + std::chrono::duration_cast<Clock::duration>(
                                                std::chrono::duration<double>(i / per_second)));
    }
  }
  CHECK(cudaGetLastError());
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaStreamDestroy(stream));
}

int main(int argc, char** argv) {
  RequireGpu();
  const long launches = Argument(argc, argv, 1, 5000);
  const long threads = Argument(argc, argv, 2, 4);
  const double rate = double(Argument(argc, argv, 3, 0)) / double(threads);
  unsigned* counter = nullptr;
  CHECK(cudaMalloc(&counter, sizeof *counter));
  CHECK(cudaMemset(counter, 0, sizeof *counter));
  const auto begin = Clock::now();
  std::vector<std::thread> all;
  for (long i = 0; i < threads; ++i) all.emplace_back(LaunchAll, launches, rate, counter);
  for (std::thread& thread : all) thread.join();
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  unsigned ran = 0;
  CHECK(cudaMemcpy(&ran, counter, sizeof ran, cudaMemcpyDeviceToHost));
  printf("launches %u\n", ran);
  Facts("{\"seconds\": %.6f, \"launches\": %u}", seconds, ran);
  return ran == launches * threads ? 0 : 1;
}
