// A CUDA graph captured in one function and replayed in another. argv: REPLAYS
#include "common.h"

constexpr int kWords = 1 << 20;

__global__ void graph_scale(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] *= 0.5f; }
__global__ void graph_shift(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] += 1.0f; }

__attribute__((noinline)) void CaptureScale(float* x, cudaStream_t stream) {
  graph_scale<<<kWords / 256, 256, 0, stream>>>(x);
}

__attribute__((noinline)) void CaptureShift(float* x, cudaStream_t stream) {
  graph_shift<<<kWords / 256, 256, 0, stream>>>(x);
  graph_shift<<<kWords / 256, 256, 0, stream>>>(x);
}

__attribute__((noinline)) cudaGraphExec_t CaptureWork(float* x, cudaStream_t stream) {
  cudaGraph_t graph;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CaptureScale(x, stream);
  CaptureShift(x, stream);
  CHECK(cudaMemsetAsync(x, 0, 256, stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t work;
  CHECK(cudaGraphInstantiate(&work, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  return work;
}

__attribute__((noinline)) void ReplayWork(cudaGraphExec_t work, cudaStream_t stream, long replays) {
  for (long i = 0; i < replays; ++i) CHECK(cudaGraphLaunch(work, stream));
  CHECK(cudaStreamSynchronize(stream));
}

int main(int argc, char** argv) {
  RequireGpu();
  const long replays = Argument(argc, argv, 1, 500);
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  float* x = nullptr;
  CHECK(cudaMalloc(&x, sizeof(float) * kWords));
  CHECK(cudaMemset(x, 0, sizeof(float) * kWords));
  cudaGraphExec_t work = CaptureWork(x, stream);
  ReplayWork(work, stream, replays);
  CHECK(cudaGraphExecDestroy(work));
  printf("replays %ld\n", replays);
  return 0;
}
