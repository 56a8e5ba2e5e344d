// Keeps track of threads that have no slot in their process's region because they started without
// the agent. Decides for which of them the agent is asked to take a slot and start sampling (a
// request).
//
// Not all threads are created by the agent's pthread_create. A library opened with RTLD_DEEPBIND
// (Taichi, chDB) calls libc's, and other run-times (Go) call clone(2). A thread that has just
// started is about to take a slot by itself, so a thread is requested only after two checks found
// it without one. Reads nothing itself. May be used by one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/ids.h"

namespace gprofx {

class UnseenThreads {
 public:
  static constexpr HostNs kLookEvery = 50'000'000;

  // Takes the result of a check. `unseen` are the threads without a slot, `seen` those with one.
  // Both are sorted.
  void Looked(HostNs now, const std::vector<int64_t>& unseen, const std::vector<int64_t>& seen);

  // Returns the thread to request now, or none. `free` is true if the agent has taken the previous
  // request. A thread that got no slot within a second (because none was left) is requested again.
  std::optional<int64_t> Next(HostNs now, bool free);

  // True if there are more threads to request and the process takes requests.
  bool Hurries(HostNs now) const;

  // True if there are threads without a slot, or if a thread ever got its slot by a request. Then
  // other threads may start and end without a slot, and an unchanged number of threads does not
  // mean that all are known.
  bool any() const { return any_ || !threads_.empty(); }

 private:
  struct Thread {
    int64_t tid = 0;
    HostNs found = 0;   // first check that found it
    HostNs latest = 0;  // latest check that found it
    HostNs asked = 0;   // time of its latest request; 0 = none
  };
  static bool Due(const Thread& thread, HostNs now);

  std::vector<Thread> threads_;  // by tid
  HostNs asked_ = 0;             // time of the latest request for any thread
  bool any_ = false;
};

}  // namespace gprofx
