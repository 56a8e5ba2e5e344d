// Numbers of GPUs as people know them. Pure, any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

// Row of gpu_device (ids from 1) -> the number that nvidia-smi shows, or that an imported trace
// gives.
std::vector<uint32_t> GpuNumbers(const Profile& profile);

}  // namespace gprofx
