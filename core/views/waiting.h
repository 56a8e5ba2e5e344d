// Functions in which a thread waits although its CPU clock runs: it spins at a barrier, yields, or
// is on its way into the kernel to sleep. Time there is no work of the program. Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/model/profile.h"

namespace gprofx {

enum class Wait : uint8_t {
  kNone,
  kSpins,  // its own time; what it calls is work (blas_thread_server)
  kWaits,  // its own time and what it calls (sched_yield, futex, poll)
};

Wait WaitOf(std::string_view function);

// The same of a frame: also of the wait loops of libgomp, which has no names for them.
Wait WaitOf(const Profile& profile, const Frame& frame);

}  // namespace gprofx
