// Programs that a run left running. They become children of the job, so that the job can end them.
// Otherwise they would disturb the measurements of the next runs.
//
// Blocking; one thread; one instance in a process. Finds none if the kernel does not list children
// (CONFIG_PROC_CHILDREN).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <vector>

#include "cli/ci/stop_signals.h"

namespace gprofx {

class Orphans {
 public:
  Orphans();  // covers programs left from now on; ignores existing children
  Orphans(const Orphans&) = delete;
  Orphans& operator=(const Orphans&) = delete;

  // Asks all of them to end, then kills them, including programs that they leave behind. Returns
  // the number found.
  size_t End(StopSignals& signals) const;

 private:
  std::vector<pid_t> Left() const;

  std::vector<pid_t> before_;  // sorted
};

enum class Fate { kRuns, kEnded, kUnknown };

// Returns the state of child `pid`, and its exit status in `status`. Also reaps adopted programs.
// kUnknown: someone else reaped it.
Fate TakeEnds(pid_t pid, int& status);

}  // namespace gprofx
