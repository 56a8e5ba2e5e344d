// The calls of a trace that launch GPU work, and which of them launched what.
//
// Work and its call share a correlation id. Ids are unique within a process and a run of the
// profiler: a trace of several processes, or of several runs, repeats them. Nested calls (of the
// runtime and of the driver) share an id as well; the outermost stands for all. Pure; one thread.
// Times are nanoseconds of the trace's own clock.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/model/profile.h"

namespace gprofx::importers {

struct LaunchCall {
  uint32_t correlation = 0;
  ProcessId process;
  ThreadId thread;
  NodeId node;
  int64_t start = 0, duration = 0;
  bool told = false;  // already written to stream "launch calls"
};

// What tells whose work it is, if the trace does not name the process.
struct WorkOrigin {
  ProcessId before;  // process of the last host event before it in the file; 0 = none
  StringId group;    // a label that the trace gives to all of a rank; 0 = none
  uint32_t device = 0;
};

class LaunchCalls {
 public:
  void Add(const LaunchCall& call) { calls_.push_back(call); }
  void Sort();  // call after the last Add()

  // Returns the call of a process with this id: of several, the last that began before `start`; if
  // none did, the first.
  LaunchCall* Find(ProcessId process, uint32_t correlation, int64_t start);

  // Processes that have a call with this id which began before `start`, the latest call first.
  std::vector<ProcessId> Launchers(uint32_t correlation, int64_t start) const;

 private:
  std::vector<LaunchCall>::const_iterator After(uint32_t correlation, ProcessId process,
                                                int64_t start) const;

  std::vector<LaunchCall> calls_;
};

// Decides which process work belongs to, see WorkOrigin. A trace that was put together of several
// ranks has the events of one rank after those of the other: there, the place in the file tells.
// Otherwise a GPU belongs to the one process whose calls explain all of its work, and each process
// to a GPU of its own: of several that would do, the GPUs go to the processes in order. Work of a
// GPU that several processes share goes to the latest call.
class WorkOwners {
 public:
  // `in_turns`: the file has the events of one process after those of the other. `home`: owner of
  // work that no call explains.
  WorkOwners(const LaunchCalls& calls, const Profile& profile,
             const std::map<ProcessId, StringId>& groups, bool in_turns, ProcessId home)
      : calls_(calls), profile_(profile), groups_(groups), in_turns_(in_turns), home_(home) {}

  // First add all work, then Finish(), then ask for each.
  void Add(const WorkOrigin& origin, uint32_t correlation, int64_t start);
  void Finish();
  ProcessId Of(const WorkOrigin& origin, uint32_t correlation, int64_t start) const;

 private:
  using Gpu = std::pair<StringId, uint32_t>;
  struct Votes {
    std::map<ProcessId, int64_t> explained;
    int64_t events = 0;
    ProcessId owner;
    bool shared = false;
  };
  std::vector<ProcessId> Candidates(const WorkOrigin& origin, uint32_t correlation,
                                    int64_t start) const;

  std::vector<ProcessId> BestOf(const Votes& votes) const;
  ProcessId OfGroup(StringId group) const;

  const LaunchCalls& calls_;
  const Profile& profile_;
  const std::map<ProcessId, StringId>& groups_;
  bool in_turns_;
  ProcessId home_;
  std::map<Gpu, Votes> votes_;
};

}  // namespace gprofx::importers
