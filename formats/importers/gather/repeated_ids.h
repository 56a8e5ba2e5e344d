// Finds the calls of work whose correlation id several threads of its process have used, as
// processes of several machines may have one number.
//
// Such work and calls are matched in time (match_in_time.h). If one thread used an id several
// times, the ids began anew with a run of the profiler: then the last call before the work is the
// one (launch_calls.h). Takes n log n; pure; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/model/profile.h"
#include "formats/importers/launch_calls.h"

namespace gprofx::importers {

struct RepeatedWork {
  uint32_t correlation = 0;
  ProcessId process;
  int64_t start = 0;
  size_t work = 0;  // the caller's number
  size_t call = 0;  // set by Match: position in the calls
};

// The calls with ids that several threads of a process have used; `calls` as LaunchCalls::calls().
class RepeatedIds {
 public:
  RepeatedIds(std::span<const LaunchCall> calls, const Profile& profile);

  bool empty() const { return calls_.empty(); }
  bool Contains(ProcessId process, uint32_t correlation) const;
  // Removes work for which there is nothing to find.
  void Match(std::vector<RepeatedWork>& work) const;

 private:
  struct Call {
    uint32_t correlation = 0;
    ProcessId process;
    int64_t start = 0;
    size_t position = 0;
  };
  std::vector<Call> calls_;  // sorted
};

}  // namespace gprofx::importers
