// Each timer holds one of the signals that a user may have waiting (RLIMIT_SIGPENDING): where few
// are allowed, ours must leave enough for the program's own timer_create(2). Signal path: system
// calls only.
#pragma once

#include <cstdint>
#include <string_view>

namespace gprofx::agent {

// Of "SigQ: 3/95777" in a process's status file: of how many are some in use. No such line:
// neither.
struct SignalRoom {
  uint64_t used = 0, limit = UINT64_MAX;
};
SignalRoom ParseSignalRoom(std::string_view status);

// May a thread of this process have a timer of ours? True where nothing is known.
bool HasRoomForTimer();

}  // namespace gprofx::agent
