// Threads that began without the agent: which of them it is to be asked for.
//
// pthread_create of the agent does not make all: a library that was opened with RTLD_DEEPBIND
// (Taichi, chDB) calls libc's, a run-time of its own (Go) clone(2). Who has just begun is about to
// take a slot by itself: a thread is asked for when two looks found it without one. Nothing is read
// here. One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/ids.h"

namespace gprofx {

class UnseenThreads {
 public:
  static constexpr HostNs kLookEvery = 50'000'000;

  // A look found these threads of the process, and these with a slot; both sorted.
  void Looked(HostNs now, const std::vector<int64_t>& alive, const std::vector<int64_t>& seen);

  // Whom to ask for now. `free`: the request before was taken. One that got no slot in a second
  // (there is none left) is asked for again.
  std::optional<int64_t> Next(HostNs now, bool free);

  // Are there more to ask for, and does somebody take requests?
  bool Hurries(HostNs now) const;

  // Are there some, or did one get its slot by asking? Then others may begin and end like it,
  // whatever their number says.
  bool any() const { return any_ || !threads_.empty(); }

 private:
  struct Thread {
    int64_t tid = 0;
    HostNs found = 0;   // first
    HostNs latest = 0;  // found again
    HostNs asked = 0;   // 0 = not yet
  };
  static bool Due(const Thread& thread, HostNs now);

  std::vector<Thread> threads_;  // by tid
  HostNs asked_ = 0;             // the latest
  bool any_ = false;
};

}  // namespace gprofx
