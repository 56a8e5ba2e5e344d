// The time that profiling took in the process of the program, told from the program's own.
//
// It is what our libraries do, and CUPTI and libnvperf with what they call: the C library, and the driver
// where CUPTI calls it. A call of the driver that only passes through a function of ours
// (samplers/cuda/driver_hooks.h) is the program's. Of threads that our libraries or CUPTI have started all
// is profiling. Pure, any thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/profile.h"

namespace gprofx {

// CUPTI, or libnvperf with which it samples instructions.
bool IsCuptiLibrary(std::string_view path);

// By NodeId::index(): 1 where time that was spent in the node itself is of profiling. Empty: nowhere.
std::vector<uint8_t> ProfilingNodes(const Profile& profile);

// The nanoseconds of profiling. They are part of the accounted time.
int64_t ProfilingTime(const Profile& profile);

}  // namespace gprofx
