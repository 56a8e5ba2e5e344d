#include "samplers/collector/processes/process_table.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include <algorithm>

#include "core/base/file_io.h"
#include "core/gpu/level_windows.h"
#include "samplers/collector/processes/names.h"
#include "samplers/collector/processes/procfs.h"

namespace gprofx {
namespace {

constexpr HostNs kClaimPatience = 5'000'000'000;
constexpr size_t kMaxEnvironment = size_t{1} << 20;
constexpr int kMaxPasses = 8;  // max passes over rings that are to be read to their end

std::string RankOf(const std::string& process) {
  const auto environment = ReadSmallFile("/proc/" + process + "/environ", kMaxEnvironment);
  return environment ? RankInEnvironment(*environment) : "";
}

// True if the process has ended. If there is a pidfd, the result is certain. Without one (kernels
// before 5.3, sandboxes) the PID is looked up, and may belong to another process by now.
bool Ended(const UniqueFd& pidfd, int64_t pid) {
  if (!pidfd) {
    const char state = ProcessState(pid);
    return state == 0 || state == 'Z';
  }
  pollfd waiting{pidfd.get(), POLLIN, 0};
  return poll(&waiting, 1, 0) > 0;
}

bool Ended(const RegionOwner& owner, int64_t pid) {
  return owner.claim == Claim::kGone || Ended(owner.pidfd, pid);
}

const ProcessUser kNobody{65534, 65534, {}};

size_t AccountOf(uint32_t region) { return region / wire::kMaxProcesses; }
ProcessClocks::User UserOf(uint32_t region) {
  return AccountOf(region) == 0 ? ProcessClocks::User::kOwn : ProcessClocks::User::kOther;
}

}  // namespace

bool LiveProcess::IsAlive() const { return !Ended(owner, drain.pid()); }

ProcessTable::ProcessTable(RunParts& parts, bool follow_children, Arguments arguments)
    : parts_(parts),
      session_(parts.session),
      profile_(parts.profile),
      follow_children_(follow_children),
      arguments_(arguments),
      shares_(profile_, parts.gpu, parts.markers),
      // One second earlier, because file timestamps use a coarse clock.
      began_(time(nullptr) - 1),
      own_rank_(RankOf("self")),
      by_region_(session_.RegionCount(), nullptr) {}

size_t ProcessTable::Poll(std::vector<SampleRow>& rows) {
  shares_.BeginLook();
  parts_.perf_events.Receive();
  const HostNs now = session_.Now();
  // Remember how many notes were begun. A process that was reaped before this moment has finished
  // writing, and the drain below reads everything that it wrote.
  const Session::NotesBegun notes = session_.BegunNotes();
  FindNew(now, rows);
  FreeIgnored();
  // Check which processes have ended before their rings are drained for the last time. Then search
  // for new regions again. A process that has ended may have called exec since the first search;
  // its two regions then belong to one process.
  bool some_ended = false;
  for (const auto& process : live_) {
    process->ended = !process->IsAlive();
    some_ended = some_ended || process->ended;
  }
  if (some_ended) FindNew(session_.Now(), rows);
  const size_t count = DrainAll(rows);
  TakeNotes(notes, now, rows);
  return count;
}

size_t ProcessTable::DrainAll(std::vector<SampleRow>& rows) {
  size_t count = 0;
  // Start each pass with another process. A pass may not have enough time for all processes of a
  // user.
  if (session_.users() > 1 && !live_.empty()) {
    std::rotate(live_.begin(), live_.begin() + 1, live_.end());
  }
  for (size_t i = 0; i < live_.size();) {
    LiveProcess& process = *live_[i];
    const size_t user = AccountOf(process.region);
    if (!shares_.HasTime(user)) {
      ++i;
      continue;
    }
    const UserShares::Account account(shares_, user);
    count += DrainOne(process, session_.Now(), rows);
    if (shares_.IsLeftOut(user)) {
      LeaveOut(i, rows);
    } else if (process.ended && !process.drain.has_more()) {
      End(i, session_.Now(), rows);
    } else {
      ++i;
    }
  }
  return count;
}

std::vector<uint32_t> ProcessTable::TakeLeftOut() {
  std::vector<uint32_t> ids;
  for (const size_t user : shares_.TakeLeftOut()) ids.push_back(session_.memory(user).user());
  return ids;
}

// Returns the maximum number of entries that one drain of a process reads. The live processes share
// kOfLook entries, and each of them gets at least kOfProcess. Honest processes write less: 100,000
// launches a second give 10,000.
size_t ProcessTable::MostEntries() const {
  constexpr size_t kOfLook = size_t{1} << 18, kOfProcess = size_t{1} << 13;
  return std::max(kOfProcess, kOfLook / std::max<size_t>(live_.size(), 1));
}

// Stops recording a process. What was recorded stays. The process's region is freed when the
// process ends.
void ProcessTable::LeaveOut(size_t at, std::vector<SampleRow>& rows) {
  LiveProcess& process = *live_[at];
  const uint32_t region = process.region;
  Ignored ignored{std::move(process.owner), process.drain.pid()};
  process.owner = {};
  End(at, session_.Now(), rows, Regions::kKept);
  ignored_[region] = std::move(ignored);
}

void ProcessTable::TakeNotes(const Session::NotesBegun& begun, HostNs now,
                             std::vector<SampleRow>& rows) {
  notes_.clear();
  missed_notes_ += static_cast<int64_t>(session_.ReadNotes(begun, notes_));
  if (!follow_children_) return;
  for (ProcessNoteCopy& note : notes_) {
    if (!IsBelievable(note) || !shares_.HasTime(note.user) || shares_.IsLeftOut(note.user)) {
      ++missed_notes_;
      continue;
    }
    constexpr size_t kBytesOfNote = 256;  // memory that the clocks keep for a note, in bytes
    const UserShares::Account account(shares_, note.user);
    shares_.AddBytes(note.user, note.user == 0 ? 0 : kBytesOfNote);
    note.time = std::clamp<HostNs>(note.time, 0, now);
    parts_.clocks.Take(note, rows);
  }
}

// True if the note may be used. A process of another user may report only on processes of that
// user. A process that was believed once is always believed, because its last notes are read after
// its end.
bool ProcessTable::IsBelievable(const ProcessNoteCopy& note) {
  if (note.user == 0) return true;
  constexpr size_t kMaxSpeakers = 100'000;
  const auto speaker = speakers_.find(note.from != 0 ? note.from : note.pid);
  if (speaker == speakers_.end() || speaker->second != note.user) return false;
  for (const auto& process : live_) {
    if (process->drain.pid() == note.pid && AccountOf(process->region) != note.user) return false;
  }
  if (note.kind == wire::kNoteReaped) {
    speakers_.erase(note.pid);
  } else if (speakers_.size() < kMaxSpeakers) {
    speakers_.emplace(note.pid, note.user);
  }
  return true;
}

size_t ProcessTable::DrainOne(LiveProcess& process, HostNs now, std::vector<SampleRow>& rows) {
  const size_t first = rows.size();
  const auto close_perf = [&](uint32_t slot, uint32_t generation) {
    return parts_.perf_events.CloseThread(process.region, slot, generation);
  };
  const size_t user = AccountOf(process.region);
  const size_t most = std::min(MostEntries(), shares_.EntriesLeft(user));
  const size_t count = process.drain.Drain(now, rows, close_perf, most);
  shares_.AddEntries(user, process.drain.entries_read());
  FollowBytes(process);
  samples_ += static_cast<int64_t>(count);
  GiveGpuSamples(rows, first);
  BeginJit(process);
  return count;
}

void ProcessTable::FollowBytes(LiveProcess& process) {
  const size_t user = AccountOf(process.region), bytes = process.drain.bytes();
  shares_.TakeBytes(user, process.bytes);
  shares_.AddBytes(user, bytes);
  process.bytes = bytes;
}

ThreadId ProcessTable::MainThread() const {
  for (size_t i = 0; main_process_ && i < profile_.threads.size(); ++i) {
    const Thread& thread = profile_.threads[i];
    if (thread.process == main_process_ && thread.tid == main_pid_)
      return ThreadId{static_cast<uint32_t>(i + 1)};
  }
  return {};
}

// Passes the CPU samples on to the GPU data, where they explain why the GPU was idle.
void ProcessTable::GiveGpuSamples(const std::vector<SampleRow>& rows, size_t first) {
  if (first == rows.size()) return;
  const ThreadId main = MainThread();
  for (size_t i = first; i < rows.size(); ++i) {
    const SampleRow& row = rows[i];
    if (!parts_.gpu.ExplainsIdle(row.thread, main)) continue;
    parts_.gpu.AddSample(row);
  }
}

void ProcessTable::FindNew(HostNs now, std::vector<SampleRow>& rows) {
  by_region_.resize(session_.RegionCount(), nullptr);
  found_.clear();
  for (uint32_t index = 0; index < session_.RegionCount(); ++index) {
    const uint32_t state = session_.RegionStateOf(index);
    const bool is_known = by_region_[index] != nullptr || ignored_.contains(index);
    if (state == wire::kRegionReady && !is_known) {
      claimed_since_.erase(index);
      const RegionFacts facts = session_.FactsOf(index);
      found_.push_back({index, facts.pid, facts.parent_pid, facts.start_ns});
    } else if (state == wire::kRegionClaimed) {
      ReclaimAbandoned(index, now);
    }
  }
  // Sort by start time. After an exec, a process may have a region with a lower index than before,
  // or one in another user's memory.
  std::stable_sort(found_.begin(), found_.end(), [](const FoundRegion& a, const FoundRegion& b) {
    return a.start_ns < b.start_ns;
  });
  for (const FoundRegion& found : found_) {
    const size_t user = AccountOf(found.index);
    // If the user has no time or entries left, the next pass opens the region. It then also reads
    // what a program wrote before its exec.
    if (!shares_.HasTime(user) || shares_.EntriesLeft(user) == 0) continue;
    const UserShares::Account account(shares_, user);
    Open(found, now, rows);
  }
}

// Frees a region that was claimed too long ago. A process that is killed between the claim of a
// region and the filling of the header would otherwise keep it forever.
void ProcessTable::ReclaimAbandoned(uint32_t index, HostNs now) {
  if (by_region_[index] != nullptr) return;
  const auto since = claimed_since_.emplace(index, now).first;
  if (now - since->second < kClaimPatience) return;
  claimed_since_.erase(since);
  const int64_t pid = session_.FactsOf(index).pid;
  if (pid <= 0 || kill(static_cast<pid_t>(pid), 0) != 0) session_.FreeRegion(index);
}

void ProcessTable::FreeIgnored() {
  for (auto it = ignored_.begin(); it != ignored_.end();) {
    if (Ended(it->second.owner, it->second.pid)) {
      parts_.perf_events.CloseRegion(it->first);
      session_.FreeRegion(it->first);
      it = ignored_.erase(it);
    } else {
      ++it;
    }
  }
}

// Returns the name of a process. If the program is a rank of a parallel job that was started within
// the recording, the name includes the rank: "train.py rank 3".
std::string ProcessTable::NameOf(const Region& region, int64_t pid,
                                 const std::vector<std::string>& command) const {
  const std::string name = ProcessName(region.Executable(), command);
  const std::string rank = pid != 0 ? RankOf(std::to_string(pid)) : "";
  return rank.empty() || rank == own_rank_ ? name : name + " " + rank;
}

bool ProcessTable::EndEarlierProgram(const FoundRegion& found, RegionOwner& owner, Process& row,
                                     HostNs now, std::vector<SampleRow>& rows) {
  const auto same = std::find_if(live_.begin(), live_.end(), [&](const auto& process) {
    return process->drain.pid() == row.pid;
  });
  if (same == live_.end()) {
    parts_.clocks.Appears(row, UserOf(found.index));
    return true;
  }
  const bool is_certain = (*same)->is_confirmed() && (*same)->IsAlive();
  const bool is_same_user = AccountOf((*same)->region) == AccountOf(found.index);
  if (owner.claim != Claim::kConfirmed && (is_certain || !is_same_user)) {
    // The process ran the program of this region either before the known program, or after that one
    // ended. In both cases the region's program has ended and writes nothing more.
    const bool is_believable = !is_certain || found.start_ns < (*same)->start_ns;
    owner = {};
    return is_believable;
  }
  // A program in a PID namespace of its own does not know its parent's PID. Take it from the
  // earlier program.
  if (row.parent_pid == 0) {
    row.parent_pid = profile_.processes[(*same)->drain.process().index()].parent_pid;
  }
  DrainToEnd(**same, now, rows);
  End(static_cast<size_t>(same - live_.begin()), row.start, rows);
  return true;
}

// Drains a process until its rings are empty, but only within its user's share of this pass. Gives
// up after kMaxPasses drains if the process keeps writing.
void ProcessTable::DrainToEnd(LiveProcess& process, HostNs now, std::vector<SampleRow>& rows) {
  for (int i = 0; i < kMaxPasses; ++i) {
    DrainOne(process, now, rows);
    if (!process.drain.has_more()) return;
  }
}

// Drains all processes until their rings are empty. Drains each process once per pass, because the
// processes of one user share the time of a pass.
void ProcessTable::DrainAllToEnd(std::vector<SampleRow>& rows) {
  for (int i = 0; i < kMaxPasses; ++i) {
    shares_.BeginLook();
    bool has_more = false;
    if (i > 0) std::rotate(live_.begin(), live_.begin() + 1, live_.end());
    for (const auto& process : live_) {
      if (process->IsAlive() && i == 0) {
        FollowUser(*process);
        FollowFiles(*process);
      }
      DrainOne(*process, session_.Now(), rows);
      has_more = has_more || process->drain.has_more();
    }
    if (!has_more) return;
  }
}

void ProcessTable::Open(const FoundRegion& found, HostNs now, std::vector<SampleRow>& rows) {
  const uint32_t index = found.index;
  const int64_t pid = found.pid;
  RegionOwner owner = FindRegionOwner(pid, session_.MemoryOf(index), index % wire::kMaxProcesses);
  unconfirmed_ += owner.claim == Claim::kUnconfirmed ? 1 : 0;
  const bool is_followed = follow_children_ || pid == main_pid_;
  if (!is_followed || shares_.IsLeftOut(AccountOf(index))) {
    ignored_[index] = {std::move(owner), pid};
    return;
  }
  auto region = session_.MapRegion(index);
  if (!region) {
    session_.CountWithoutRegion();
    session_.FreeRegion(index);
    return;
  }
  const bool is_confirmed = owner.claim == Claim::kConfirmed;
  const bool is_foreign = AccountOf(index) != 0;
  const auto ask = !is_confirmed ? ProcessDrain::Ask::kNothing
                   : is_foreign  ? ProcessDrain::Ask::kPatiently
                                 : ProcessDrain::Ask::kAll;
  const std::vector<std::string> command = SplitCommand(region->Command());
  Process row;
  row.pid = pid;
  row.parent_pid = found.parent_pid;
  row.start = std::clamp<int64_t>(found.start_ns, 0, now);
  row.name = profile_.Intern(NameOf(*region, is_confirmed && !is_foreign ? pid : 0, command));
  row.command = profile_.Intern(JoinCommand(StoredCommand(command, arguments_)));
  // If another region belongs to a live process with the same PID, the process called exec and its
  // earlier program has ended.
  if (!EndEarlierProgram(found, owner, row, now, rows)) {
    ignored_[index] = {std::move(owner), pid};
    return;
  }
  if (row.parent_pid == 0 && is_confirmed) row.parent_pid = ParentOf(pid);
  profile_.processes.push_back(row);
  // Resize instead of push_back, because profile_.processes also contains processes that ended
  // without a region.
  users_.resize(profile_.processes.size());
  users_.back() = UserOfRegion(index, pid, owner.claim);
  sees_our_files_.resize(profile_.processes.size());
  if (is_confirmed) sees_our_files_.back() = SeesOurFiles(pid);
  const ProcessId id{static_cast<uint32_t>(profile_.processes.size())};
  if (pid == main_pid_) {
    main_process_ = id;
    if (is_confirmed) shares_.AddAsked(AccountOf(index));
  }
  parts_.perf_events.SetOwner(index, pid);
  live_.push_back(std::make_unique<LiveProcess>(
      LiveProcess{index,
                  found.start_ns,
                  std::move(owner),
                  ProcessDrain(profile_, parts_.modules, parts_.metrics, std::move(*region), id,
                               parts_.wall_clock, &parts_.gpu, ask),
                  {},
                  false}));
  if (is_foreign) live_.back()->jit.SetForeign();
  if (is_foreign && is_confirmed) speakers_[pid] = AccountOf(index);
  ProcessDrain& drain = live_.back()->drain;
  drain.SetRaw(parts_.raw);
  drain.SetMarkers(&parts_.markers);
  drain.SetProfiling(&parts_.profiling);
  drain.SetRest(&parts_.clocks.short_threads(), &parts_.clocks.window());
  by_region_[index] = live_.back().get();
}

void ProcessTable::End(size_t at, HostNs end, std::vector<SampleRow>& rows, Regions regions) {
  LiveProcess& process = *live_[at];
  ProcessDrain& drain = process.drain;
  cut_short_ += drain.has_more() ? 1 : 0;
  drain.Close(end, rows, [](uint32_t, uint32_t) { return false; });
  BeginJit(process);
  process.jit.Finish(drain.ingest().jit_addresses());
  KeepJitNames(process);
  Process& row = profile_.processes[drain.process().index()];
  row.end = std::max(end, row.start);
  parts_.clocks.ProgramEnded(drain, UserOf(process.region), row.end, rows);
  ended_.Add(drain);
  KeepFault(drain);
  const uint32_t region = process.region;
  shares_.TakeBytes(AccountOf(region), process.bytes);
  parts_.perf_events.CloseRegion(region);
  by_region_[region] = nullptr;
  live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(at));
  if (regions == Regions::kFreed) session_.FreeRegion(region);
}

void ProcessTable::KeepFault(const ProcessDrain& drain) {
  std::optional<Fault> fault = ReadFault(drain.region());
  if (!fault) return;
  ++fault_count_;
  if (faults_.size() == kMaxFaults) return;
  fault->pid = drain.pid();
  fault->program = profile_.Text(profile_.processes[drain.process().index()].name);
  faults_.push_back(std::move(*fault));
}

void ProcessTable::VisitActive(const std::function<void(LiveProcess&)>& visit) {
  for (const auto& process : live_) {
    const size_t user = AccountOf(process->region);
    if (!process->is_confirmed() || !shares_.HasTime(user) || !process->IsAlive()) continue;
    const UserShares::Account account(shares_, user);
    visit(*process);
  }
}

void ProcessTable::Housekeeping() {
  VisitActive([this](LiveProcess& process) {
    process.drain.RefreshNames();
    process.drain.CompareThreads(session_.Now());
    FollowJit(process);
    FollowUser(process);
    FollowFiles(process);
  });
}

// Returns the user of the process with this region. If the region is in another user's memory, it
// is always that user. A process in our own memory may have changed its user, so /proc is read.
std::optional<ProcessUser> ProcessTable::UserOfRegion(uint32_t region, int64_t pid,
                                                      Claim claim) const {
  const std::optional<ProcessUser> asked = claim == Claim::kConfirmed ? UserOf(pid) : std::nullopt;
  if (AccountOf(region) == 0) return asked;
  const uid_t user = session_.MemoryOf(region).user();
  return asked && asked->user == user ? asked : ProcessUser{user, kNobody.group, {}};
}

// Updates the user of a process. A process that changed its user belongs to nobody, because either
// user may have chosen its mappings.
void ProcessTable::FollowUser(const LiveProcess& process) {
  std::optional<ProcessUser>& user = users_[process.drain.process().index()];
  const auto now = UserOfRegion(process.region, process.drain.pid(), process.owner.claim);
  if (!now || (user && user->user == now->user)) return;
  user = user ? kNobody : *now;
}

// Updates whether a process sees the same files as we do. The answer "no" is permanent.
void ProcessTable::FollowFiles(const LiveProcess& process) {
  std::optional<bool>& seen = sees_our_files_[process.drain.process().index()];
  if (seen == false || process.owner.claim != Claim::kConfirmed) return;
  if (const std::optional<bool> now = SeesOurFiles(process.drain.pid())) seen = now;
}

bool ProcessTable::Hurries(HostNs now) const {
  return std::any_of(live_.begin(), live_.end(),
                     [now](const auto& process) { return process->drain.Hurries(now); });
}

size_t ProcessTable::most_ended() const {
  size_t most = 0;
  for (const auto& process : live_) most = std::max(most, process->drain.threads_ended());
  return most;
}

void ProcessTable::CloseAll(std::vector<SampleRow>& rows,
                            const std::optional<ProcessNoteCopy>& end_of_program) {
  Poll(rows);
  DrainAllToEnd(rows);
  while (!live_.empty()) End(live_.size() - 1, session_.Now(), rows);
  // Often enough to skip notes that are never finished.
  for (int i = 0; i <= NoteReader::kMaxWaits; ++i)
    TakeNotes(session_.BegunNotes(), session_.Now(), rows);
  if (end_of_program && follow_children_) parts_.clocks.Take(*end_of_program, rows);
  parts_.clocks.Finish(rows);
}

void ProcessTable::BeginJit(LiveProcess& process) {
  if (process.is_confirmed() && process.drain.ingest().jit_module() && !process.jit.begun())
    process.jit.Begin(process.drain.pid(), began_);
}

void ProcessTable::FollowJit(LiveProcess& process) {
  ProcessIngest& ingest = process.drain.ingest();
  if (!process.jit.Update(ingest.jit_addresses())) return;
  KeepJitNames(process);
  ingest.BeginGeneration();
}

void ProcessTable::KeepJitNames(LiveProcess& process) {
  const ModuleId module = process.drain.ingest().jit_module();
  if (!module || !process.jit.found()) return;
  profile_.modules[module.index()].path = profile_.Intern(process.jit.path());
  jit_names_[module.value] = process.jit.TakeNames();
}

std::vector<int64_t> ProcessTable::AlivePids() const {
  std::vector<int64_t> pids;
  for (const auto& process : live_) {
    if (process->is_confirmed() && process->IsAlive()) pids.push_back(process->drain.pid());
  }
  for (const int64_t pid : parts_.clocks.WithoutRegion()) {
    const bool listed = std::find(pids.begin(), pids.end(), pid) != pids.end();
    if (!listed && !Ended(UniqueFd(), pid)) pids.push_back(pid);
  }
  return pids;
}

void ProcessTable::SetMainExit(int status) {
  if (main_process_) profile_.processes[main_process_.index()].exit_status = status;
}

ProcessTotals ProcessTable::Totals() const {
  ProcessTotals all = ended_;
  for (const auto& process : live_) all.Add(process->drain);
  return all;
}

bool ProcessTable::UsesGpu() const {
  return std::any_of(live_.begin(), live_.end(), [](const auto& process) {
    const wire::GpuHeader* header = process->drain.region().Gpu();
    return header != nullptr && header->active.load() != 0;
  });
}

bool ProcessTable::HostIsLimit() const {
  return std::any_of(live_.begin(), live_.end(), [](const auto& process) {
    const wire::GpuHeader* header = process->drain.region().Gpu();
    return header != nullptr && header->active.load() != 0 && header->host_is_limit.load() != 0;
  });
}

bool ProcessTable::HaveLevel(wire::GpuLevel level) const {
  return level == wire::kLevelAuto ||
         std::all_of(live_.begin(), live_.end(), [=](const auto& process) {
           const wire::GpuHeader* header = process->drain.region().Gpu();
           return header == nullptr || header->active.load() == 0 ||
                  header->level.load(std::memory_order_acquire) == level;
         });
}

}  // namespace gprofx
