// What the system says of threads of programs that use a GPU: how long they could run and had no
// core, page faults that read from a disk, and how many CPUs they may run on.
//
// Looked at from outside, about ten times a second, and only at threads that ran lately: three
// looks at /proc each, tens of microseconds of the recorder and nothing of the program. Method: the
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

// The second number of schedstat, ns. A kernel that does not count prints zeros for all: none.
std::optional<int64_t> ReadyInSchedstat(std::string_view schedstat);
// The twelfth field of stat: faults that read from a disk.
std::optional<int64_t> FaultsInStat(std::string_view stat);

class ThreadWaits {
 public:
  // If it is time to. A thread's first look tells nothing yet.
  void Look(ProcessTable& processes, HostNs now);
  EventTable TakeRows();

 private:
  struct Seen {
    HostNs time = 0;
    int64_t ready_ns = 0, faults = 0;
  };
  void LookAt(int64_t pid, int64_t tid, ThreadId thread, HostNs now);

  HostNs next_ = 0;
  std::map<uint32_t, Seen> seen_;  // by thread
  EventTable rows_{Stream::kThreadWaits};
};

}  // namespace gprofx
