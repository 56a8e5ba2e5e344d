// Computes the number under which views show each GPU to the user. Pure, any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

// Returns the number of each GPU, by GpuDeviceId::index(). GPUs of an imported trace keep the
// numbers that the trace gives them. Otherwise they are numbered from 0 in the order of their PCI
// addresses.
std::vector<uint32_t> GpuNumbers(const Profile& profile);

}  // namespace gprofx
