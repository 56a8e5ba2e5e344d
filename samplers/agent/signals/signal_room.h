// Each timer uses one of the pending signals that a user may have (RLIMIT_SIGPENDING). Where the
// limit is low, our timers must leave enough for the program's own timer_create(2). Signal path:
// system calls only.
#pragma once

#include <cstdint>
#include <string_view>

namespace gprofx::agent {

// Values of the line "SigQ: 3/95777" in a process's status file. Without that line the defaults
// stay.
struct SignalRoom {
  uint64_t used = 0, limit = UINT64_MAX;
};
SignalRoom ParseSignalRoom(std::string_view status);

// True if a thread of this process may have a timer of ours, or if that is unknown.
bool HasRoomForTimer();

}  // namespace gprofx::agent
