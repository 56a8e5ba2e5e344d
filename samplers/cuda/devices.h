// Facts about the GPUs in use, asked of the driver that is already in the process.
#pragma once

#include <cuda.h>

#include <cstdint>

#include "samplers/cuda/gpu_claim.h"

namespace gprofx::cuda {

struct DeviceFacts {
  uint32_t compute_major = 0, multiprocessors = 0;
  uint64_t clock_hz = 0, memory_bytes = 0;
  DeviceId id{};
};

// Writes the device's record when it is new, and the facts that sampling needs. From callbacks in
// which a context of the device is current.
DeviceFacts DescribeDevice(uint32_t device);

// Bytes of device memory that are free in the current context; 0 = unknown.
uint64_t FreeDeviceMemory();

}  // namespace gprofx::cuda
