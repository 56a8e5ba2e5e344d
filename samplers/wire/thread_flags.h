// Flags of a thread that field 9 of /proc/PID/stat contains. Source: include/linux/sched.h of the
// kernel.
#pragma once

#include <cstdint>

namespace gprofx::wire {

// The kernel created the thread inside a process, for work that runs only in the kernel (io_uring).
inline constexpr uint64_t kPfIoWorker = 0x10;

}  // namespace gprofx::wire
