// Finds tails: times in which recording has resumed, but a GPU may still run work that was launched
// before and has no records.
//
// A host runs ahead of its GPU. When recording is switched on, work that was launched before is
// still in the queues. A GPU runs kernels in the order of their launches. A tail therefore ends
// when the first kernel launched with records begins, or when the host has waited for the whole
// queue. Copies do not show the end of a tail, because they have their own engines. One process;
// pure; one thread. Times are HostNs.
#pragma once

#include <deque>
#include <string_view>
#include <vector>

#include "core/steps/phases.h"

namespace gprofx {

class UntracedTails {
 public:
  // Adds a tail: until `end` nothing was recorded, from then on GPU work is. Call in the order of
  // time.
  void Begin(HostNs end);
  // Adds a kernel that was launched with records.
  void AddKernel(HostNs launch, HostNs start);
  // Adds a waiting call of the CUDA function `call` that returned at `end`. Ignored if the function
  // does not wait for the whole queue.
  void AddWait(std::string_view call, HostNs end);
  // Removes the tails that began before `before`. Returns those whose end is known.
  std::vector<TimeRange> Take(HostNs before);
  bool Has(HostNs before) const { return !tails_.empty() && tails_.front().begin < before; }

 private:
  struct Tail {
    HostNs begin, end;
  };
  // Returns the latest tail that began at or before `time`; nullptr if there is none.
  Tail* At(HostNs time);

  std::deque<Tail> tails_;
};

}  // namespace gprofx
