// Describes the GPUs in use. Asks the driver that the process has already loaded.
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
  std::array<char, 16> pci_bus{};  // NUL-terminated
};

// Returns the devices that have a record in the GPU stream, in the order in which the records were
// written. Any thread.
std::vector<DeviceAddress> DescribedDevices();

// Returns what sampling needs to know about a device. Writes the device's record if there is none
// yet. Called from callbacks in which a context of the device is current.
DeviceFacts DescribeDevice(uint32_t device);

bool IsDescribed(uint32_t device);  // any thread

// Forgets all devices. Called for a new recording, which has no records of them yet.
void ForgetDevices();

// Returns the number that the process uses for the device of the calling thread's current context.
uint32_t CurrentDevice();

// Returns the free memory of the current context's device in bytes; 0 = unknown.
uint64_t FreeDeviceMemory();

}  // namespace gprofx::cuda
