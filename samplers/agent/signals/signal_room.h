// Checks whether the user may have more pending signals (RLIMIT_SIGPENDING). Each timer uses one of
// them. Where the limit is low, our timers must leave enough for the program's own timer_create(2).
// Runs in signal handlers; makes system calls only.
#pragma once

#include <cstdint>
#include <string_view>

namespace gprofx::agent {

// Numbers from the line "SigQ: 3/95777" of a process's status file. Without that line the default
// values stay.
struct SignalRoom {
  uint64_t used = 0, limit = UINT64_MAX;
};
SignalRoom ParseSignalRoom(std::string_view status);

// True if we may create a timer for a thread of this process, or if that is unknown.
bool HasRoomForTimer();

}  // namespace gprofx::agent
