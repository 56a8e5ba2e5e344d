// Finds the calls of work whose correlation id several threads of its process have used. That
// happens if processes of several machines have the same number.
//
// Such work and calls are matched by time (match_in_time.h). If a single thread has used an id
// several times, the profiler ran several times and each time began anew with its ids. The last
// call before the work is then the right one (launch_calls.h). Takes O(n log n); pure; one thread.
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
  size_t work = 0;  // number that the caller uses for the work
  size_t call = 0;  // set by Match: position in LaunchCalls::calls()
};

// Holds the calls whose correlation id several threads of a process have used. `calls` is
// LaunchCalls::calls().
class RepeatedIds {
 public:
  RepeatedIds(std::span<const LaunchCall> calls, const Profile& profile);

  bool empty() const { return calls_.empty(); }
  bool Contains(ProcessId process, uint32_t correlation) const;
  // Sets `call` of each piece of work. Removes the work for which there is no call.
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
