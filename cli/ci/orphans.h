// Programs that a run left running. They become children of the job, so that the job can end them.
// Otherwise they would disturb the measurements of the next runs.
//
// Blocking; one thread; one instance in a process. Finds none if the kernel does not list children
// (CONFIG_PROC_CHILDREN).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "cli/ci/stop_signals.h"

namespace gprofx {

inline constexpr std::chrono::seconds kPatience{5};  // between SIGTERM and SIGKILL

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

struct CiChild {
  pid_t pid = 0;
  std::optional<int> status;  // as of waitpid(2); unset = it has not ended
};

// Reaps ended children, adopted programs included, and notes the status of those in `children`.
// Returns kEnded once all have one. kUnknown: one was reaped elsewhere.
Fate TakeEnds(std::span<CiChild> children);

// As above, for one child: sets `status` once it has ended.
Fate TakeEnds(pid_t pid, int& status);

}  // namespace gprofx
