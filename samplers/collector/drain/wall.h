// Samples threads in wall-clock mode. The collector decides when a thread is sampled, and counts
// the time of waiting threads without waking them.
//
// At each visit of a thread:
//
//   - If it waits where its latest sample found it, the time since the last visit is idle time at
//     the stack of that sample.
//   - If it runs, no signal is sent, because the signal might end a system call early. The thread's
//     own timer samples it once it has left the kernel.
//   - If it waits elsewhere, in a call in which the program cannot notice a signal, it is sent one
//     and the agent samples it (and restarts the call, see wire/restart.h). If the sample shows the
//     same wait, the time is idle time, too. A signal is sent only once per wait, soon after it
//     began, because the restarted call may wait for its full timeout again.
//   - Any other wait is idle time at a row for time not sampled, with the function that waits.
//
// The weights of a thread thus add up to its wall-clock time, whatever it does. Two waits are
// distinguished only by their place in native code. If two Python functions wait in the same native
// call, with less than 0.1 ms of work in between, the second wait is counted at the stack of the
// first. One thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "samplers/collector/processes/process_table.h"
#include "samplers/collector/processes/procfs.h"

namespace gprofx {

struct VisitFacts {
  int64_t ran_ns = 0;  // CPU time that it used since its latest sample
  Waiting waiting = Waiting::kNot;
  bool is_busy = false;      // the thread ran for at least half of the time since the last visit
  bool has_stack = false;    // the thread was sampled before
  bool is_at_stack = false;  // the thread waits at the place of its latest sample
  // The thread waits, but not in the wait for which it was signalled last.
  bool is_new_wait = false;
  int64_t unanswered = 0;  // signals sent since its latest sample
  int64_t pending_ns = 0;  // time since its latest sample that is not counted yet
};

enum class VisitAction {
  kSignal,       // send a signal; the time is collected for the sample that follows
  kAwait,        // collect the time; the thread's own timer samples it
  kCountIdle,    // the thread waits: count the time at its latest stack
  kCountUnseen,  // the thread waits, and its stack is not available
  kCountBusy,    // it runs but gets no sample: count the time at its latest stack, as busy
};

VisitAction DecideVisit(const VisitFacts& facts);

class WallSampler {
 public:
  explicit WallSampler(int64_t period_ns) : period_ns_(period_ns) {}

  int64_t NextTick() const { return next_; }
  // Visits all threads if a sampling period has passed since the last visits.
  void Tick(ProcessTable& processes, HostNs now, std::vector<SampleRow>& rows);
  // Discards the time of all threads before `now`. Called when recording begins after --delay.
  void Restart(ProcessTable& processes, HostNs now);

 private:
  void Visit(ProcessDrain& drain, uint32_t slot, bool may_wait, HostNs now,
             std::vector<SampleRow>& rows);
  // Does what `action` says for the thread in `slot`. `passed` is the time since the last visit in
  // ns.
  static void Count(ProcessDrain& drain, uint32_t slot, VisitAction action, std::string_view place,
                    int64_t passed, HostNs now, std::vector<SampleRow>& rows);

  int64_t period_ns_;
  HostNs next_ = 0;
};

}  // namespace gprofx
