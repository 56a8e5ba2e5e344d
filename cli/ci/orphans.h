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

  // Sends SIGTERM to the programs that runs left running, and later SIGKILL to those that have not
  // ended. Includes programs that they leave behind in turn. Returns the number of programs found.
  size_t End(StopSignals& signals) const;

 private:
  std::vector<pid_t> Left() const;

  std::vector<pid_t> before_;  // sorted
};

enum class Fate { kRuns, kEnded, kUnknown };

// Reaps ended children, adopted programs included. Returns whether child `pid` still runs. If it
// ended, sets `status` to its status, as waitpid(2) does. kUnknown: it was reaped elsewhere.
Fate TakeEnds(pid_t pid, int& status);

}  // namespace gprofx
