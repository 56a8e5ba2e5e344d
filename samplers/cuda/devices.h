// Describes the GPUs in use, by asking the driver that is already loaded in the process.
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

// Returns the devices that have a record in the GPU stream, in the order of these records. Any
// thread.
std::vector<DeviceAddress> DescribedDevices();

// Returns what sampling needs to know about a device, and writes the device's record if it is new.
// Call it from callbacks in which a context of the device is current.
DeviceFacts DescribeDevice(uint32_t device);

bool IsDescribed(uint32_t device);  // any thread

// Forgets all devices, because a new recording has no records of them yet.
void ForgetDevices();

// Returns the device of the calling thread's current context, in the process's numbering.
uint32_t CurrentDevice();

// Returns the free device memory in the current context, in bytes; 0 = unknown.
uint64_t FreeDeviceMemory();

}  // namespace gprofx::cuda
