// When a GPU may still work on what was launched without records, though records are made again.
//
// A host runs ahead of its GPU: when records are switched on, what was launched before is still in
// the queues, unseen. A GPU works in the order of launches, so that time ends when the first kernel
// that was launched with records begins, or when the host has waited for the whole queue. Copies
// tell nothing: they have engines of their own. One process; pure; one thread. Times are HostNs.
#pragma once

#include <deque>
#include <string_view>
#include <vector>

#include "core/steps/phases.h"

namespace gprofx {

class UntracedTails {
 public:
  // Until `end` nothing was recorded, from then on there are records. In the order of time.
  void Begin(HostNs end);
  // Of a kernel.
  void AddKernel(HostNs launch, HostNs start);
  // Of a call that waits for a GPU.
  void AddWait(std::string_view call, HostNs end);
  // The times in question that began before `before`, each once.
  std::vector<TimeRange> Take(HostNs before);
  bool Has(HostNs before) const { return !tails_.empty() && tails_.front().begin < before; }

 private:
  struct Tail {
    HostNs begin, end;
  };
  // The latest that began at `time` or before; nullptr = none.
  Tail* At(HostNs time);

  std::deque<Tail> tails_;
};

}  // namespace gprofx
