// As in c10/core/Device.h: passed in a register, the type in its low byte.
#pragma once

#include <cstddef>
#include <cstdint>

namespace c10 {

enum class DeviceType : int8_t { CPU = 0, CUDA = 1 };
struct Device {
  DeviceType type;
  int8_t index;
};

void reportMemoryUsageToProfiler(void* block, int64_t bytes, size_t allocated, size_t reserved,
                                 Device device);
void reportMemoryUsageToProfiler(void* block, int64_t bytes, Device device);  // before 1.10

}  // namespace c10
