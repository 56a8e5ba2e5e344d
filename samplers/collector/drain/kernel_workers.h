// Measures the CPU time of threads that the kernel creates inside a process and that run only in
// the kernel (io_uring's workers). Signals do not reach them, so the agent cannot sample them.
// Their CPU clocks are read instead.
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
  // CPU time that one worker used since its previous check.
  struct Use {
    int64_t tid = 0;
    std::string name;  // set only at the worker's first check
    int64_t cpu_ns = 0;
  };

  // `began_with_process` is true if the recording includes all CPU time of the process. If it is
  // false, the time of a worker counts only from its first check.
  explicit KernelWorkers(bool began_with_process) : counts_all_(began_with_process) {}

  // Checks the threads in `unseen`, which have no slot. Removes the kernel's workers from it and
  // returns the CPU time that they used since the previous check.
  std::vector<Use> Check(int64_t pid, std::vector<int64_t>& unseen);

  // True if a check ever found a worker.
  bool any() const { return any_; }
  // True if any() and the latest check found no thread without a slot except workers.
  bool are_all() const { return any_ && are_all_; }

 private:
  const bool counts_all_;
  bool any_ = false, are_all_ = false;
  std::map<int64_t, int64_t> clocks_;  // by tid, as of the latest check
};

}  // namespace gprofx
