// Finds tails: times in which recording has resumed, but a GPU may still run work that was launched
// without records.
//
// A host runs ahead of its GPU: when recording is switched on, earlier launches are still in the
// queues, without records. A GPU works in the order of launches, so a tail ends when the first
// kernel launched with records begins, or when the host has waited for the whole queue. Copies give
// no information: they have their own engines. One process; pure; one thread. Times are HostNs.
#pragma once

#include <deque>
#include <string_view>
#include <vector>

#include "core/steps/phases.h"

namespace gprofx {

class UntracedTails {
 public:
  // Nothing was recorded until `end`; from then on there are records. In the order of time.
  void Begin(HostNs end);
  // A kernel ran.
  void AddKernel(HostNs launch, HostNs start);
  // A call that waits for a GPU returned.
  void AddWait(std::string_view call, HostNs end);
  // Returns the tails that began before `before`, each once.
  std::vector<TimeRange> Take(HostNs before);
  bool Has(HostNs before) const { return !tails_.empty() && tails_.front().begin < before; }

 private:
  struct Tail {
    HostNs begin, end;
  };
  // Returns the latest tail that began at `time` or before; nullptr = none.
  Tail* At(HostNs time);

  std::deque<Tail> tails_;
};

}  // namespace gprofx
