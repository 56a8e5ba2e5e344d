// The pretended driver: a device's facts, and the injection in cuInit.
#include <cuda.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "fake_gpu.h"

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))

FAKE_EXPORT CUresult cuInit(unsigned) {
  const char* path = getenv("CUDA_INJECTION64_PATH");
  if (path == nullptr || std::strcmp(path, "none") == 0) return CUDA_SUCCESS;
  if (void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    if (auto* start = reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"))) start();
  }
  return CUDA_SUCCESS;
}

void LaunchMeasured(CUfunction function, void** arguments);  // fake_measure.cpp

// Of a kernel without arguments the handle is its name, the grid its time in microseconds.
FAKE_EXPORT CUresult cuLaunchKernel(CUfunction kernel, unsigned us, unsigned, unsigned, unsigned,
                                    unsigned, unsigned, unsigned, CUstream, void** arguments,
                                    void**) {
  if (arguments != nullptr) {
    LaunchMeasured(kernel, arguments);
    return CUDA_SUCCESS;
  }
  static const auto launch =
      reinterpret_cast<decltype(&fake_launch)>(dlsym(RTLD_DEFAULT, "fake_launch"));
  launch(reinterpret_cast<const char*>(kernel), uint64_t{us} * 1000);
  return CUDA_SUCCESS;
}

namespace {

template <class Function>
Function Find(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

// The handle of the stream is the time for which the host waits, in nanoseconds.
FAKE_EXPORT CUresult cuStreamSynchronize(CUstream stream) {
  static const auto wait = Find<decltype(&fake_synchronize)>("fake_synchronize");
  wait(reinterpret_cast<uint64_t>(stream));
  return CUDA_SUCCESS;
}
FAKE_EXPORT CUresult cuMemAlloc_v2(CUdeviceptr* address, size_t bytes) {
  static const auto allocate = Find<decltype(&fake_allocate)>("fake_allocate");
  static CUdeviceptr next = 1 << 20;  // where there is no pretended CUPTI
  *address = allocate != nullptr ? allocate(bytes, 0) : next;
  next += bytes;
  return CUDA_SUCCESS;
}
FAKE_EXPORT CUresult cuMemFree_v2(CUdeviceptr address) {
  static const auto release = Find<decltype(&fake_free)>("fake_free");
  release(address, 0);
  return CUDA_SUCCESS;
}
FAKE_EXPORT CUresult cuStreamBeginCapture_v2(CUstream, CUstreamCaptureMode) { return CUDA_SUCCESS; }
FAKE_EXPORT CUresult cuCtxGetDevice(CUdevice* device) {
  *device = 0;
  return CUDA_SUCCESS;
}
FAKE_EXPORT CUresult cuGetProcAddress_v2(const char* name, void** function, int, cuuint64_t,
                                         CUdriverProcAddressQueryResult*) {
  static const auto hand_out =
      reinterpret_cast<decltype(&fake_hand_out)>(dlsym(RTLD_DEFAULT, "fake_hand_out"));
  const bool is_known = std::strcmp(name, "cuLaunchKernel") == 0;
  if (hand_out == nullptr) return CUDA_ERROR_NOT_FOUND;  // the real cuBLAS asks, and is to give up
  hand_out(name, is_known ? reinterpret_cast<void*>(&cuLaunchKernel) : nullptr, function);
  return is_known ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

FAKE_EXPORT CUresult cuDriverGetVersion(int* version) {
  *version = 13000;
  return CUDA_SUCCESS;
}
FAKE_EXPORT CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return CUDA_SUCCESS;
}
FAKE_EXPORT CUresult cuDeviceGetName(char* name, int length, CUdevice) {
  std::snprintf(name, static_cast<size_t>(length), "Pretended GPU");
  return CUDA_SUCCESS;
}
FAKE_EXPORT CUresult cuDeviceGetPCIBusId(char* id, int length, CUdevice) {
  std::snprintf(id, static_cast<size_t>(length), "0000:01:00.0");
  return CUDA_SUCCESS;
}
FAKE_EXPORT CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice) {
  // By default each process has a GPU of its own.
  const char* name = getenv("FAKE_GPU");
  const std::string id = name != nullptr ? name : "gpu " + std::to_string(getpid());
  std::memset(uuid->bytes, 0, sizeof(uuid->bytes));
  std::memcpy(uuid->bytes, id.data(), std::min(id.size(), sizeof(uuid->bytes)));
  return CUDA_SUCCESS;
}
FAKE_EXPORT CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice) {
  *bytes = size_t{64} << 30;
  return CUDA_SUCCESS;
}
FAKE_EXPORT CUresult cuMemGetInfo_v2(size_t* free_bytes, size_t* total) {
  *free_bytes = size_t{32} << 30;
  *total = size_t{64} << 30;
  return CUDA_SUCCESS;
}
FAKE_EXPORT CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute what, CUdevice) {
  switch (what) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      *value = 9;
      break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      *value = 132;
      break;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
      *value = 1980000;
      break;
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
      *value = 2619000;
      break;
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
      *value = 5120;
      break;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
      *value = 50'000'000;
      break;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
      *value = 32;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
      *value = 2048;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
      *value = 32;
      break;
    default:
      *value = 0;
      break;
  }
  return CUDA_SUCCESS;
}
