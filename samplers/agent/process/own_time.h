// Counts the duration of a scope as the profiler's own time. Used for the agent's work at the start
// and end of threads. Async-signal-safe. The session must still be joined when the scope ends.
#pragma once

#include "samplers/agent/process/session.h"

namespace gprofx::agent {

class OwnTime {
 public:
  OwnTime() : begin_(MonotonicNs()) {}
  ~OwnTime() {
    constexpr int64_t kPreempted = 500'000;  // ns; a longer scope was preempted and is not counted
    const int64_t spent = MonotonicNs() - begin_;
    if (spent < kPreempted) g_session.Count(wire::kThreadOwnNs, static_cast<uint64_t>(spent));
  }
  OwnTime(const OwnTime&) = delete;
  OwnTime& operator=(const OwnTime&) = delete;

 private:
  const int64_t begin_;
};

}  // namespace gprofx::agent
