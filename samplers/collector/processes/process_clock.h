// Accounts for the whole CPU clock of each process: for the time of its threads and for all other
// time.
//
//   0 ........... start ............................. end ............ total
//   [exec and     own work of gprof-x, then the       [exit]
//    loading]     clocks of its threads; the rest
//    or [fork]    is [outside of sampled threads], or [io_uring worker] if
//                 only such threads have no slot
//
// The clock continues over an exec: the next program of the process continues where the previous
// one ended. `start` and `end` come from the agent, `total` from the parent that waited for the
// process (wire::ProcessNote). Time between unknown points is left out or counted at the latest
// stack: a killed process has no `end`, and a process that no recorded process waited for has no
// `total`.
//
// A fork child that ended before it had a region is known only from notes. It becomes a process
// with one thread. A process that is known only from its parent's notes was not sampled; it is
// counted separately.
//
// One thread. Times are ns. What the target wrote is checked against limits. The profile must
// outlive this.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/model/profile.h"
#include "samplers/collector/drain/drain.h"
#include "samplers/collector/residual.h"
#include "samplers/collector/session.h"

namespace gprofx {

class ProcessClocks {
 public:
  // `tick_ns` is the length of a scheduler tick. A fork child without a region can have used only
  // about that much CPU time.
  ProcessClocks(Profile& profile, const Metrics& metrics, bool wall_clock, int64_t tick_ns);

  RecordingWindow& window() { return window_; }
  ShortThreads& short_threads() { return short_threads_; }

  // Who owns a process. What a process of another user reports about its parent and its clock is
  // not subtracted from anybody's time.
  enum class User : bool { kOwn, kOther };
  // Called when a program of a process has ended, by an exec or with its process, and its drain is
  // closed.
  void ProgramEnded(const ProcessDrain& drain, User user, HostNs end, std::vector<SampleRow>& rows);
  // Called when a process appears in the shared memory. Discards data about an earlier process with
  // the same PID.
  void Appears(const Process& process, User user);
  void Take(const ProcessNoteCopy& note, std::vector<SampleRow>& rows);
  // Called when the recording ends.
  void Finish(std::vector<SampleRow>& rows);

  // Returns the PIDs of fork children that have no region and are not known to have ended.
  std::vector<int64_t> WithoutRegion() const;

  int64_t accounted_ns() const { return accounted_ns_; }
  int64_t unsampled_processes() const { return unsampled_; }
  int64_t unsampled_ns() const { return unsampled_ns_; }

 private:
  struct Life {
    ProcessId process;            // latest program of the process; 0 = it has no region
    ThreadId thread;              // thread at which time outside all threads is counted
    NodeId last;                  // latest sample of `thread`
    bool ended = false;           // the process reported its end
    bool goes_unsampled = false;  // the program that it ran next is not sampled
    int64_t given = 0;            // part of its CPU clock that is accounted for
    int64_t from = 0;             // PID of the sampled process that forked it; 0 = unknown
    HostNs start = 0;             // time of the fork; 0 = unknown
    int64_t fork_ns = 0;          // CPU clock after the fork; 0 = unknown
    int64_t end_ns = 0;           // CPU clock at its end, according to a note; 0 = unknown
    bool execs = false;           // a note says that it ran another program
  };
  void Give(Life& life, std::string_view what, int64_t ns, HostNs time,
            std::vector<SampleRow>& rows,
            ThreadId thread = {});  // if `thread` is 0, that of `life`
  void GiveAt(ThreadId thread, NodeId node, int64_t ns, HostNs time, std::vector<SampleRow>& rows);
  void Reaped(const ProcessNoteCopy& note, int64_t used_ns, std::vector<SampleRow>& rows);
  void TakeOut(int64_t pid, int64_t* ns);
  void TakeOrphansOut(int64_t pid, HostNs since, int64_t* ns);
  // Counts a process that has ended and was not sampled. It started at `since` or later. `used_ns`
  // is its CPU time.
  void CountUnsampled(int64_t pid, int64_t used_ns, HostNs since, HostNs now);
  void ShortChild(int64_t pid, Life& life, int64_t used_ns, HostNs now,
                  std::vector<SampleRow>& rows);
  ThreadId MainThread(ProcessId process);

  Profile& profile_;
  Metrics metrics_;
  bool wall_clock_;
  int64_t most_unseen_ns_;
  RecordingWindow window_;
  ShortThreads short_threads_;
  std::unordered_map<int64_t, Life> lives_;  // by pid
  // PIDs of sampled children that have ended, by the PID of their parent.
  std::unordered_map<int64_t, std::vector<int64_t>> by_parent_;
  // Start time and PID of the processes whose parent was unknown.
  std::set<std::pair<HostNs, int64_t>> orphans_;
  // Start times of processes that are sampled or were forked, by PID. An entry exists until the
  // parent waits for the process.
  std::unordered_map<int64_t, HostNs> present_;
  // CPU time of the children that a process has reaped, by the PID of that process.
  std::unordered_map<int64_t, int64_t> children_;
  int64_t accounted_ns_ = 0, unsampled_ = 0, unsampled_ns_ = 0;
};

}  // namespace gprofx
