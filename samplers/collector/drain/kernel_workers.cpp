#include "samplers/collector/drain/kernel_workers.h"

#include <algorithm>

#include "core/base/file_io.h"
#include "samplers/collector/processes/procfs.h"

namespace gprofx {

std::vector<KernelWorkers::Use> KernelWorkers::Check(int64_t pid, std::vector<int64_t>& unseen) {
  std::vector<Use> uses;
  std::map<int64_t, int64_t> clocks;
  std::erase_if(unseen, [&](int64_t tid) {
    const auto known = clocks_.find(tid);
    const bool is_new = known == clocks_.end();
    if (is_new && !IsKernelWorker(ReadSmallFile(ThreadPath(pid, tid, "stat")).value_or("")))
      return false;
    const auto clock =
        CpuInSchedstat(ReadSmallFile(ThreadPath(pid, tid, "schedstat")).value_or(""));
    if (!clock) return !is_new;
    const int64_t before = !is_new ? known->second : counts_all_ ? 0 : *clock;
    clocks[tid] = std::max(*clock, before);
    uses.push_back({tid, is_new ? ThreadName(pid, tid).value_or("") : "", clocks[tid] - before});
    return true;
  });
  clocks_ = std::move(clocks);
  any_ = any_ || !clocks_.empty();
  are_all_ = unseen.empty();
  return uses;
}

}  // namespace gprofx
