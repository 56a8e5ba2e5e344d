// Checks whether the user may have more pending signals (RLIMIT_SIGPENDING). Each timer needs one
// of them. Where the limit is low, our timers must leave enough for the program's own
// timer_create(2). Runs in signal handlers; makes system calls only.
#pragma once

#include <cstdint>
#include <string_view>

namespace gprofx::agent {

// Parses the line "SigQ: 3/95777" of a process's status file: `used` and `limit`. Without that
// line, the result has the default values.
struct SignalRoom {
  uint64_t used = 0, limit = UINT64_MAX;
};
SignalRoom ParseSignalRoom(std::string_view status);

// True if we may create a timer for a thread of this process. True also if the limit cannot be
// read.
bool HasRoomForTimer();

}  // namespace gprofx::agent
