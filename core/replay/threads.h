// Finds host threads that take turns. A replay treats them as one thread. Used inside core/replay
// only.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

struct ThreadMoment {
  HostNs time = 0;
  ThreadId thread;
};

// Returns the index after the last moment of a run: the consecutive moments from `begin` on that
// belong to the same thread. Callers process whole runs at once, because programs launch millions
// of times from few threads.
size_t EndOfTurn(std::span<const ThreadMoment> moments, size_t begin);

// Maps each thread to the thread that represents it. `moments` are launches, in order of time.
//
// The main thread of a process is its thread with the most launches. Another thread takes turns
// with it if its runs of launches fill at least half of the main thread's pauses in which they lie:
// the main thread then waited for it. Otherwise both run at the same time and are not joined.
std::unordered_map<uint32_t, uint32_t> JoinThreads(const Profile& profile,
                                                   std::span<const ThreadMoment> moments);

}  // namespace gprofx
