// Counts the time of a scope as ours: our work where a thread begins and ends. Async-signal-safe;
// the session must be joined at its end.
#pragma once

#include "samplers/agent/process/session.h"

namespace gprofx::agent {

class OwnTime {
 public:
  OwnTime() : begin_(MonotonicNs()) {}
  ~OwnTime() {
    constexpr int64_t kPreempted = 500'000;  // what took longer did not run all the time
    const int64_t spent = MonotonicNs() - begin_;
    if (spent < kPreempted) g_session.Count(wire::kThreadOwnNs, static_cast<uint64_t>(spent));
  }
  OwnTime(const OwnTime&) = delete;
  OwnTime& operator=(const OwnTime&) = delete;

 private:
  const int64_t begin_;
};

}  // namespace gprofx::agent
