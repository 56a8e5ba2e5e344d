// Facts about the GPUs in use, asked of the driver that is already in the process.
#pragma once

#include <cuda.h>

#include <array>
#include <cstdint>
#include <vector>

#include "samplers/cuda/gpu_claim.h"

namespace gprofx::cuda {

struct DeviceFacts {
  uint32_t compute_major = 0, multiprocessors = 0;
  uint64_t clock_hz = 0, memory_bytes = 0;
  DeviceId id{};
};

struct DeviceAddress {
  uint32_t device = 0;
  std::array<char, 16> pci_bus{};  // ends with 0
};

// Those that have a record, in the order of the records. Any thread.
std::vector<DeviceAddress> DescribedDevices();

// Writes the device's record when it is new, and the facts that sampling needs. From callbacks in
// which a context of the device is current.
DeviceFacts DescribeDevice(uint32_t device);

bool IsDescribed(uint32_t device);  // any thread

// Another recording has no record of any.
void ForgetDevices();

// Of the context that is current on this thread, as the process counts devices.
uint32_t CurrentDevice();

// Bytes of device memory that are free in the current context; 0 = unknown.
uint64_t FreeDeviceMemory();

}  // namespace gprofx::cuda
