// What the CUDA programs of the tests share. Without a GPU they say so and end with status 77.
//
// Standard output is the same in every run, so that a run under gprof-x can be compared with a bare
// one. What differs from run to run goes as JSON to the file that WORKLOAD_FACTS names.
#pragma once

#include <cuda_runtime.h>
#include <dlfcn.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

constexpr int kNoGpu = 77;

inline void CheckAt(cudaError_t error, const char* what, int line) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "line %d: %s: %s: %s\n", line, what, cudaGetErrorName(error),
          cudaGetErrorString(error));
  exit(1);
}
#define CHECK(call) CheckAt((call), #call, __LINE__)

inline void NoGpu(const char* reason) {
  fprintf(stderr, "no GPU: %s\n", reason);
  exit(kNoGpu);
}

// Ends the program when no device can be used; does not initialise one.
inline void RequireGpu() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess) NoGpu(cudaGetErrorString(error));
  if (count == 0) NoGpu("there is no device");
}

inline int MultiprocessorCount() {
  int count = 0;
  CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
  return count;
}

inline long Argument(int argc, char** argv, int i, long otherwise) {
  return i < argc ? atol(argv[i]) : otherwise;
}

// Writes one JSON object, given as a format, to the file of WORKLOAD_FACTS.
__attribute__((format(printf, 1, 2))) inline void Facts(const char* format, ...) {
  const char* path = getenv("WORKLOAD_FACTS");
  FILE* file = path ? fopen(path, "w") : nullptr;
  if (!file) return;
  va_list list;
  va_start(list, format);
  vfprintf(file, format, list);
  va_end(list);
  fputc('\n', file);
  fclose(file);
}
