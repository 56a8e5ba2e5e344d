// Selects the events of a recording that take part in the replay of a window. Used inside
// core/replay only.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/events/replay_events.h"
#include "core/model/profile.h"

namespace gprofx {

struct WindowEvents {
  // Operations that were launched or began in the window: positions in
  // ReplayEvents::operations, sorted by start.
  std::vector<uint32_t> operations;
  std::vector<uint32_t> launches;  // the first operation of each launch, in order of time
  // By position of an operation: position of the first operation of its launch; UINT32_MAX = none.
  std::vector<uint32_t> launch_of;
  // The calls of the events, in their order; then the blocking copies.
  std::vector<ReplayCall> calls;
  std::unordered_map<uint32_t, uint32_t> joined;  // threads that take turns (core/replay/threads.h)
  uint32_t main = 0;                              // the thread with the most launches

  uint32_t TimelineOf(ThreadId thread) const {
    const auto found = joined.find(thread.value);
    return found == joined.end() ? thread.value : found->second;
  }
};

WindowEvents ChooseEvents(const Profile& profile, const ReplayEvents& events,
                          const ReplayWindow& window);

// Typical lags in a window: between a launch and its work on an idle GPU, and between two queued
// operations of a stream.
struct UsualLags {
  int64_t launch_latency = 0, gap = 0;
};
UsualLags FindUsualLags(const ReplayEvents& events, const std::vector<uint32_t>& by_start);

}  // namespace gprofx
