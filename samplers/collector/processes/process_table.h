// Keeps the profiled processes of a recording. Detects processes that appear in the shared memory,
// that end, and that run another program.
//
// A process is represented by a region. It ends when its PID ends (its pidfd reports that), or when
// the same PID appears in a new region because it called exec. Then the old region is drained,
// closed and freed. One thread.
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
  int64_t start_ns = 0;  // ProcessHeader::start_ns, as read when the region was found
  RegionOwner owner;
  ProcessDrain drain;
  JitNames jit;
  bool ended = false;  // the process has ended and writes nothing more
  size_t bytes = 0;    // memory that the drain used when it was last measured

  // True if the process may be inspected and signalled. False if it may be another process than the
  // one that its region names.
  bool is_confirmed() const { return owner.claim == Claim::kConfirmed; }
  // True if the process belongs to another user than the recorder. Reads that may have to wait for
  // the process are then avoided.
  bool is_foreign() const { return region >= wire::kMaxProcesses; }
  // True if the process still exists. Call it right before doing something to the process.
  bool IsAlive() const;
};

class ProcessTable {
 public:
  // `arguments` says how the arguments of commands are stored in the profile.
  ProcessTable(RunParts& parts, bool follow_children, Arguments arguments = Arguments::kMasked);

  void SetMain(pid_t pid) { main_pid_ = pid; }

  // Finds new regions, moves all samples into the profile and closes what has ended. Returns the
  // number of samples.
  size_t Poll(std::vector<SampleRow>& rows);
  // Updates names, threads without a slot, and maps of JIT compilers. Call it once a second.
  void Housekeeping();
  // True if agents should soon be asked to sample more threads (unseen_threads.h). Each Poll asks
  // for one thread per process.
  bool Hurries(HostNs now) const;
  // Returns how many threads had ended by the latest Poll, in the process with the most of them.
  size_t most_ended() const;
  // Ends the recording and closes everything that is left. `end_of_program` is the note about the
  // end of the recorded command, if there was one.
  void CloseAll(std::vector<SampleRow>& rows,
                const std::optional<ProcessNoteCopy>& end_of_program = {});
  // left_out_users returns the number of users whose processes are no longer recorded
  // (user_shares.h). TakeLeftOut returns the ids of those that it has not returned yet.
  int64_t left_out_users() const { return shares_.left_out(); }
  std::vector<uint32_t> TakeLeftOut();

  std::vector<int64_t> AlivePids() const;  // PIDs of profiled processes that are alive
  void SetMainExit(int status);

  ProcessTotals Totals() const;  // of all processes so far
  bool UsesGpu() const;          // a live process records its GPU work
  // True if a process has found that its host limits its speed, not its GPU.
  bool HostIsLimit() const;
  // True if the GPU side of all processes that use a GPU has this level. Always true for
  // kLevelAuto.
  bool HaveLevel(wire::GpuLevel level) const;
  int64_t missed_notes() const { return missed_notes_; }
  // Number of samples moved into the profile, including those of programs that an exec replaced.
  int64_t samples() const { return samples_; }
  // faults() returns the faults that ended a process, at most kMaxFaults. fault_count() counts all
  // of them.
  static constexpr size_t kMaxFaults = 4;
  const std::vector<Fault>& faults() const { return faults_; }
  int64_t fault_count() const { return fault_count_; }
  // Number of regions whose process the kernel did not confirm.
  int64_t unconfirmed() const { return unconfirmed_; }
  std::vector<std::unique_ptr<LiveProcess>>& live() { return live_; }
  // Calls `visit` for each process that is alive, may be inspected, and whose user has time left in
  // this pass.
  void VisitActive(const std::function<void(LiveProcess&)>& visit);
  // Returns the number of processes that ended and whose rings were not read completely.
  int64_t cut_short() const { return cut_short_; }
  // Returns the users of the processes, by ProcessId. None if the process had ended before its user
  // could be read.
  const std::vector<std::optional<ProcessUser>>& users() const { return users_; }
  // Returns, by ProcessId, whether paths name the same files in the process as in ours; none =
  // unknown.
  const std::vector<std::optional<bool>>& sees_our_files() const { return sees_our_files_; }
  // Returns names for addresses of generated code, as JIT compilers wrote them, by module.
  const std::unordered_map<uint32_t, ModuleNames>& jit_names() const { return jit_names_; }

 private:
  struct Ignored {
    RegionOwner owner;
    int64_t pid = 0;
  };
  struct FoundRegion {
    uint32_t index = 0;  // number of the region over all users
    // Copied once, when the region was found, because the process may change the values.
    int64_t pid = 0, parent_pid = 0, start_ns = 0;
  };

  // Returns the name of a process. If `pid` is 0, its environment is not read: such a read may have
  // to wait for memory pages that the process's user serves.
  std::string NameOf(const Region& region, int64_t pid,
                     const std::vector<std::string>& command) const;
  void FindNew(HostNs now, std::vector<SampleRow>& rows);
  void Open(const FoundRegion& found, HostNs now, std::vector<SampleRow>& rows);
  // Ends the earlier program that has the same PID as `found`, if there is one. Returns false if
  // `found` is less credible than the earlier program and must be ignored.
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
  void FollowFiles(const LiveProcess& process);
  std::optional<ProcessUser> UserOfRegion(uint32_t region, int64_t pid, Claim claim) const;
  void BeginJit(LiveProcess& process);
  void FollowJit(LiveProcess& process);
  void KeepJitNames(LiveProcess& process);
  void KeepFault(const ProcessDrain& drain);

  RunParts& parts_;
  Session& session_;
  Profile& profile_;
  std::vector<FoundRegion> found_;      // used within one call; a member to keep its memory
  std::vector<ProcessNoteCopy> notes_;  // used within one call; a member to keep its memory
  int64_t missed_notes_ = 0, samples_ = 0;
  bool follow_children_;
  Arguments arguments_;
  UserShares shares_;
  const int64_t began_;         // start of the recording; seconds, realtime
  const std::string own_rank_;  // rank of the recorder itself, which names do not repeat
  pid_t main_pid_ = 0;
  std::vector<std::unique_ptr<LiveProcess>> live_;
  std::vector<LiveProcess*> by_region_;  // by the region's number over all users
  // Processes of other users whose notes are accepted, by PID. The value is the session's index of
  // the user.
  std::unordered_map<int64_t, size_t> speakers_;
  std::unordered_map<uint32_t, HostNs> claimed_since_;
  // Regions of processes that are not recorded, such as children with --children no.
  std::unordered_map<uint32_t, Ignored> ignored_;
  ProcessId main_process_;  // the latest program of the main PID
  std::unordered_map<uint32_t, ModuleNames> jit_names_;
  std::vector<std::optional<ProcessUser>> users_;
  std::vector<std::optional<bool>> sees_our_files_;
  ProcessTotals ended_;
  std::vector<Fault> faults_;
  int64_t fault_count_ = 0, unconfirmed_ = 0, cut_short_ = 0;
};

}  // namespace gprofx
