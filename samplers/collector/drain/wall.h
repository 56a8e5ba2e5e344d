// Wall clock mode: the collector decides when a thread is sampled, and counts waiting threads
// without waking them.
//
// At each visit of a thread: if it waits where its latest sample found it, the time since the last
// visit is idle time at the stack of that sample. If it runs, its own timer samples it, once it has
// left the kernel: what it does there a signal might end early. If it waits elsewhere, in a call of
// which the program would see nothing, it is sent a signal and the agent samples it (and starts the
// call again, see wire/restart.h): idle time, too, where the sample is one of that wait. Once a
// wait, and soon after it began, as the call may wait for all of its time again. Any other wait is
// idle time with the function that waits, as a row of what was not sampled. So the weights of a
// thread sum up to its wall clock time, whatever it does. Places are those of native code: of two
// functions of Python that wait in the same call, one less than 0.1 ms of work after the other, the
// second is taken for the first. One thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "samplers/collector/processes/process_table.h"
#include "samplers/collector/processes/procfs.h"

namespace gprofx {

struct VisitFacts {
  int64_t ran_ns = 0;  // CPU time since its latest sample
  Waiting waiting = Waiting::kNot;
  bool is_busy = false;      // it ran for half of the time since the last visit, or more
  bool has_stack = false;    // it was sampled before
  bool is_at_stack = false;  // it waits where that was
  bool is_new_wait = false;  // it waits, but not in the wait in which it was sent its latest signal
  int64_t unanswered = 0;    // signals since its latest sample
  int64_t pending_ns = 0;    // time since then that has no place
};

enum class VisitAction {
  kSignal,       // sample it; its time is collected for that sample
  kAwait,        // the same, but it samples itself
  kCountIdle,    // it waits: count the time at its latest stack
  kCountUnseen,  // it waits, and its stack cannot be had
  kCountBusy,    // it runs but does not answer: count the time at its latest stack, not as waiting
};

VisitAction DecideVisit(const VisitFacts& facts);

class WallSampler {
 public:
  explicit WallSampler(int64_t period_ns) : period_ns_(period_ns) {}

  int64_t NextTick() const { return next_; }
  // Visits all threads if it is time to.
  void Tick(ProcessTable& processes, HostNs now, std::vector<SampleRow>& rows);
  // Nothing is counted for the time before `now` (after --delay).
  void Restart(ProcessTable& processes, HostNs now);

 private:
  void Visit(ProcessDrain& drain, uint32_t slot, bool may_wait, HostNs now,
             std::vector<SampleRow>& rows);
  // `passed`: since the last visit.
  static void Count(ProcessDrain& drain, uint32_t slot, VisitAction action, std::string_view place,
                    int64_t passed, HostNs now, std::vector<SampleRow>& rows);

  int64_t period_ns_;
  HostNs next_ = 0;
};

}  // namespace gprofx
