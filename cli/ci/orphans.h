// Programs that a run left running. They become children of the job, so that it can end them:
// otherwise they would go on into the next runs and be measured there as noise.
//
// Blocking; one thread; one at a time in a process. Where the kernel does not list children
// (CONFIG_PROC_CHILDREN), none are found.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <vector>

#include "cli/ci/stop_signals.h"

namespace gprofx {

class Orphans {
 public:
  Orphans();  // those that are left from now on; children that the process has stay alone
  Orphans(const Orphans&) = delete;
  Orphans& operator=(const Orphans&) = delete;

  // Asks all to end, then ends them, with those that they leave. The number that were there.
  size_t End(StopSignals& signals) const;

 private:
  std::vector<pid_t> Left() const;

  std::vector<pid_t> before_;  // sorted
};

enum class Fate { kRuns, kEnded, kUnknown };

// What became of `pid`, a child, and then its status; takes the ends of adopted programs on the
// way. kUnknown: somebody else took its end.
Fate TakeEnds(pid_t pid, int& status);

}  // namespace gprofx
