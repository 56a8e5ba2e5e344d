// Computes the number by which a user knows each GPU. Pure, any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

// Returns the number of each row of gpu_device, by GpuDeviceId::index(). The numbers are those of
// an imported trace. Otherwise devices are numbered from 0 in the order of their PCI addresses.
std::vector<uint32_t> GpuNumbers(const Profile& profile);

}  // namespace gprofx
