// Finds tails: times in which recording has resumed, but a GPU may still run work that was launched
// before and has no records.
//
// A host runs ahead of its GPU. When recording is switched on, launches without records are still
// in the queues. A GPU works in the order of launches. A tail therefore ends when the first kernel
// launched with records begins, or when the host has waited for the whole queue. Copies do not tell
// the end, because they have their own engines. One process; pure; one thread. Times are HostNs.
#pragma once

#include <deque>
#include <string_view>
#include <vector>

#include "core/steps/phases.h"

namespace gprofx {

class UntracedTails {
 public:
  // Adds a tail. Nothing was recorded until `end`; from then on there are records. Call in the
  // order of time.
  void Begin(HostNs end);
  // Adds a kernel that was launched with records.
  void AddKernel(HostNs launch, HostNs start);
  // Adds a call of a CUDA function that waits and returned at `end`. Functions that do not wait for
  // the whole queue are ignored.
  void AddWait(std::string_view call, HostNs end);
  // Removes and returns the tails that began before `before`. Omits tails whose end is unknown.
  std::vector<TimeRange> Take(HostNs before);
  bool Has(HostNs before) const { return !tails_.empty() && tails_.front().begin < before; }

 private:
  struct Tail {
    HostNs begin, end;
  };
  // Returns the latest tail that began at `time` or before; nullptr if there is none.
  Tail* At(HostNs time);

  std::deque<Tail> tails_;
};

}  // namespace gprofx
