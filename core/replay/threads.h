// Host threads that take turns. Used inside core/replay only.
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

// Returns the index after the last moment of the run of moments that starts at `begin` and belongs
// to one thread. Callers handle whole runs at once, because programs launch millions of times from
// few threads.
size_t EndOfTurn(std::span<const ThreadMoment> moments, size_t begin);

// Maps each thread to the one that represents it. `moments`: launches, in order of time.
//
// The thread of a process with the most launches counts as its main thread. Another thread takes
// turns with the main thread if its runs of launches fill at least half of the pauses of the main
// thread in which they lie. The main thread then waited for it. Otherwise the two run at the same
// time and are not joined.
std::unordered_map<uint32_t, uint32_t> JoinThreads(const Profile& profile,
                                                   std::span<const ThreadMoment> moments);

}  // namespace gprofx
