// Records scheduling data of threads of programs that use a GPU: how long they were runnable
// without a core, how many page faults read from disk, and how many CPUs they may run on.
//
// Reads /proc about ten times a second, and only for threads that ran recently. A thread takes
// three reads, which cost the recorder tens of microseconds and the program nothing. Method: the
// second field of /proc/PID/task/TID/schedstat (Documentation/scheduler/sched-stats). Times are
// HostNs. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "core/events/events.h"
#include "samplers/collector/processes/process_table.h"

namespace gprofx {

// Returns the second number of schedstat: ns that the thread was runnable without a core. Returns
// none if all numbers are zero, which means that the kernel does not count them.
std::optional<int64_t> ReadyInSchedstat(std::string_view schedstat);
// Returns the twelfth field of /proc/PID/stat: the number of page faults that read from disk.
std::optional<int64_t> FaultsInStat(std::string_view stat);

class ThreadWaits {
 public:
  // If it is time to, reads the data of the threads and adds a row for each. Takes only processes
  // that use a GPU and, in each, a limited number of threads that were sampled lately. The first
  // reading of a thread makes no row.
  void Look(ProcessTable& processes, HostNs now);
  EventTable TakeRows();

 private:
  struct Seen {
    HostNs time = 0;
    int64_t ready_ns = 0, faults = 0;
  };
  void LookAt(int64_t pid, int64_t tid, ThreadId thread, HostNs now);

  HostNs next_ = 0;
  std::map<uint32_t, Seen> seen_;  // latest reading, by thread
  EventTable rows_{Stream::kThreadWaits};
};

}  // namespace gprofx
