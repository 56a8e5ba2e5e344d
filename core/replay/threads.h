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

// Behind those from `begin` on that are of one thread: programs launch millions of times from few.
size_t EndOfTurn(std::span<const ThreadMoment> moments, size_t begin);

// By thread: the one that stands for it. `moments`: launches, in the order of time.
//
// The thread with most launches of a process is its main one here. Another one takes turns with it
// if its runs of launches fill the main one's pauses that they lie in by at least half: it was
// waited for. Otherwise the two run at the same time.
std::unordered_map<uint32_t, uint32_t> JoinThreads(const Profile& profile,
                                                   std::span<const ThreadMoment> moments);

}  // namespace gprofx
