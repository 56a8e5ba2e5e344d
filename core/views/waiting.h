// Finds functions in which a thread waits while its CPU clock runs, because it spins at a barrier,
// yields, or enters the kernel to sleep. Time in them is not work of the program. Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/model/profile.h"

namespace gprofx {

enum class Wait : uint8_t {
  kNone,
  kSpins,  // only its self time is waiting; its callees work (blas_thread_server)
  kWaits,  // its self time and that of its callees is waiting (sched_yield, futex, poll)
};

Wait WaitOf(std::string_view function);

// Returns whether the function of a frame waits. Also finds the wait loops of libgomp, which have
// no names.
Wait WaitOf(const Profile& profile, const Frame& frame);

}  // namespace gprofx
