// Ends programs that a run leaves running, because they would disturb the measurements of the next
// runs. Such programs become children of the job, which can therefore find and end them.
//
// Blocking; one thread; one instance per process. If the kernel does not list children
// (CONFIG_PROC_CHILDREN), none are found.
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
  Orphans();  // adopts programs that are left from now on; ignores existing children
  Orphans(const Orphans&) = delete;
  Orphans& operator=(const Orphans&) = delete;

  // Sends SIGTERM to the programs that runs have left, and after kPatience SIGKILL to those that
  // still run. Does the same for programs that these leave in turn. Returns the number of programs
  // found.
  size_t End(StopSignals& signals) const;

 private:
  std::vector<pid_t> Left() const;

  std::vector<pid_t> before_;  // children that existed before, sorted
};

enum class Fate { kRuns, kEnded, kUnknown };

struct CiChild {
  pid_t pid = 0;
  std::optional<int> status;  // result of waitpid(2); nullopt = the child has not ended
};

// Reaps all ended children of this process, including orphans that it adopted. Sets `status` of
// those that `children` lists. Returns kEnded if all listed children have ended. Returns kUnknown
// if no child is left but a listed one has no status, because it was reaped elsewhere. Otherwise
// returns kRuns.
Fate TakeEnds(std::span<CiChild> children);

// Does the work of the function above for a single child. Sets `status` once the child has ended.
Fate TakeEnds(pid_t pid, int& status);

}  // namespace gprofx
