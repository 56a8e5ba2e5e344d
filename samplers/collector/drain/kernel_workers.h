// Measures threads that the kernel creates inside a process and that run only in the kernel
// (io_uring's workers). Signals do not reach them, so the agent cannot sample them; their CPU
// clocks are read instead.
//
// Reads /proc. May be used by one thread at a time. Times are ns.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gprofx {

class KernelWorkers {
 public:
  // The CPU time of one worker since its previous check.
  struct Use {
    int64_t tid = 0;
    std::string name;  // set at the first check
    int64_t cpu_ns = 0;
  };

  // `began_with_process` is true if the recording includes all CPU time of the process. Otherwise
  // the time of a worker counts from its first check.
  explicit KernelWorkers(bool began_with_process) : counts_all_(began_with_process) {}

  // Checks threads that have no slot. Removes the workers from `unseen` and returns their CPU time
  // since the previous check.
  std::vector<Use> Check(int64_t pid, std::vector<int64_t>& unseen);

  // True if a worker was ever found.
  bool any() const { return any_; }
  // True if any() and the latest check found no other thread without a slot.
  bool are_all() const { return any_ && are_all_; }

 private:
  const bool counts_all_;
  bool any_ = false, are_all_ = false;
  std::map<int64_t, int64_t> clocks_;  // by tid, as of the latest check
};

}  // namespace gprofx
