// The profiled processes of a recording: who appears in the shared memory, who ends, who became
// another program.
//
// A process is a region. It ends when its pid ends (a pidfd says so), or when the same pid shows up
// in a new region: it called exec. Then the region is drained, closed and given back. One thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/model/profile.h"
#include "core/model/resolve.h"
#include "core/redact/mask_arguments.h"
#include "samplers/collector/drain/drain.h"
#include "samplers/collector/drain/region_owner.h"
#include "samplers/collector/processes/faults.h"
#include "samplers/collector/processes/jit_names.h"
#include "samplers/collector/processes/process_totals.h"
#include "samplers/collector/processes/procfs.h"
#include "samplers/collector/processes/user_shares.h"
#include "samplers/collector/run_parts.h"

namespace gprofx {

struct LiveProcess {
  uint32_t region = 0;
  int64_t start_ns = 0;  // as it said when it was found
  RegionOwner owner;
  ProcessDrain drain;
  JitNames jit;
  bool ended = false;  // all that it wrote is there
  size_t bytes = 0;    // that the drain took when it was asked last

  // May it be looked at and be sent signals? Not if it may be another process than the region says.
  bool is_confirmed() const { return owner.claim == Claim::kConfirmed; }
  // Is it another user's than the recorder's? Then nothing that may wait for it is asked.
  bool is_foreign() const { return region >= wire::kMaxProcesses; }
  // Is it there still? To be asked right before something is done to it.
  bool IsAlive() const;
};

class ProcessTable {
 public:
  // `arguments`: of the commands of processes.
  ProcessTable(RunParts& parts, bool follow_children, Arguments arguments = Arguments::kMasked);

  void SetMain(pid_t pid) { main_pid_ = pid; }

  // Finds new regions, moves all samples, closes what ended. Returns the number of samples.
  size_t Poll(std::vector<SampleRow>& rows);
  // Once a second: names, threads without a slot, maps of just-in-time compilers.
  void Housekeeping();
  // Are there more threads to ask for, one of each process at a Poll?
  bool Hurries(HostNs now) const;
  // Threads of one process that had ended by the latest Poll: the most of them.
  size_t most_ended() const;
  // The recording ends: closes all that is left.
  // `end_of_program`: what the parent of the command learned at its end.
  void CloseAll(std::vector<SampleRow>& rows,
                const std::optional<ProcessNoteCopy>& end_of_program = {});
  // Users whose processes are no longer recorded (user_shares.h): how many, and the ids of those
  // that were not taken yet.
  int64_t left_out_users() const { return shares_.left_out(); }
  std::vector<uint32_t> TakeLeftOut();

  std::vector<int64_t> AlivePids() const;  // of profiled processes
  void SetMainExit(int status);

  ProcessTotals Totals() const;  // of all processes so far
  bool UsesGpu() const;          // does one of those that live record what it does on a GPU?
  // Has a process found that its host is the limit, and not its GPU?
  bool HostIsLimit() const;
  // Do all processes that use a GPU have this level, or for kLevelAuto any?
  bool HaveLevel(wire::GpuLevel level) const;
  int64_t missed_notes() const { return missed_notes_; }
  // All that were moved, also those of processes that became another program since.
  int64_t samples() const { return samples_; }
  // Processes that ended by a fault: the first kMaxFaults of them, and how many there were.
  static constexpr size_t kMaxFaults = 4;
  const std::vector<Fault>& faults() const { return faults_; }
  int64_t fault_count() const { return fault_count_; }
  // Regions of processes that the kernel did not confirm.
  int64_t unconfirmed() const { return unconfirmed_; }
  std::vector<std::unique_ptr<LiveProcess>>& live() { return live_; }
  // Calls `visit` for each process that is there, may be looked at, and whose user has time left in
  // this pass.
  void VisitActive(const std::function<void(LiveProcess&)>& visit);
  // Processes that ended while their rings held more than was read.
  int64_t cut_short() const { return cut_short_; }
  // Whose the processes are, by ProcessId. Nothing: it was gone before it could be asked.
  const std::vector<std::optional<ProcessUser>>& users() const { return users_; }
  // Names that just-in-time compilers left for their addresses, by module.
  const std::unordered_map<uint32_t, ModuleNames>& jit_names() const { return jit_names_; }

 private:
  struct Ignored {
    RegionOwner owner;
    int64_t pid = 0;
  };
  struct FoundRegion {
    uint32_t index = 0;  // over all users
    // As it said when it was found: it may say something else later.
    int64_t pid = 0, parent_pid = 0, start_ns = 0;
  };

  // `pid`: 0 = its environment may not be read: that waits for pages which its user may serve.
  std::string NameOf(const Region& region, int64_t pid,
                     const std::vector<std::string>& command) const;
  void FindNew(HostNs now, std::vector<SampleRow>& rows);
  void Open(const FoundRegion& found, HostNs now, std::vector<SampleRow>& rows);
  // False: a live process of that number is known better.
  bool EndEarlierProgram(const FoundRegion& found, RegionOwner& owner, Process& row, HostNs now,
                         std::vector<SampleRow>& rows);
  void FollowBytes(LiveProcess& process);
  bool IsBelievable(const ProcessNoteCopy& note);
  void DrainToEnd(LiveProcess& process, HostNs now, std::vector<SampleRow>& rows);
  void DrainAllToEnd(std::vector<SampleRow>& rows);
  void FreeIgnored();
  void TakeNotes(const Session::NotesBegun& begun, HostNs now, std::vector<SampleRow>& rows);
  void ReclaimAbandoned(uint32_t index, HostNs now);
  size_t DrainOne(LiveProcess& process, HostNs now, std::vector<SampleRow>& rows);
  size_t DrainAll(std::vector<SampleRow>& rows);
  size_t MostEntries() const;
  void LeaveOut(size_t at, std::vector<SampleRow>& rows);
  ThreadId MainThread() const;
  void GiveGpuSamples(const std::vector<SampleRow>& rows, size_t first);
  enum class Regions { kFreed, kKept };
  void End(size_t at, HostNs end, std::vector<SampleRow>& rows, Regions regions = Regions::kFreed);
  void FollowUser(const LiveProcess& process);
  std::optional<ProcessUser> UserOfRegion(uint32_t region, int64_t pid, Claim claim) const;
  void BeginJit(LiveProcess& process);
  void FollowJit(LiveProcess& process);
  void KeepJitNames(LiveProcess& process);
  void KeepFault(const ProcessDrain& drain);

  RunParts& parts_;
  Session& session_;
  Profile& profile_;
  std::vector<FoundRegion> found_;      // scratch
  std::vector<ProcessNoteCopy> notes_;  // scratch
  int64_t missed_notes_ = 0, samples_ = 0;
  bool follow_children_;
  Arguments arguments_;
  UserShares shares_;
  const int64_t began_;         // seconds, realtime
  const std::string own_rank_;  // ours: it is the whole recording's
  pid_t main_pid_ = 0;
  std::vector<std::unique_ptr<LiveProcess>> live_;
  std::vector<LiveProcess*> by_region_;  // over all users
  // Other users' processes whose notes are believed, by number, with the user as the session
  // counts.
  std::unordered_map<int64_t, size_t> speakers_;
  std::unordered_map<uint32_t, HostNs> claimed_since_;
  std::unordered_map<uint32_t, Ignored> ignored_;  // regions of children, with --children no
  ProcessId main_process_;                         // the latest program of the main pid
  std::unordered_map<uint32_t, ModuleNames> jit_names_;
  std::vector<std::optional<ProcessUser>> users_;
  ProcessTotals ended_;
  std::vector<Fault> faults_;
  int64_t fault_count_ = 0, unconfirmed_ = 0, cut_short_ = 0;
};

}  // namespace gprofx
