#include "samplers/collector/process_table.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include <algorithm>

#include "core/base/file_io.h"
#include "core/level_windows.h"
#include "samplers/collector/names.h"
#include "samplers/collector/procfs.h"

namespace gprofx {
namespace {

constexpr HostNs kClaimPatience = 5'000'000'000;
constexpr size_t kMostEnvironment = size_t{1} << 20;

std::string RankOf(const std::string& process) {
  const auto environment = ReadSmallFile("/proc/" + process + "/environ", kMostEnvironment);
  return environment ? RankInEnvironment(*environment) : "";
}

// A pidfd is exact; without one (kernels before 5.3, sandboxes) the process is looked up by its
// number.
bool Ended(const UniqueFd& pidfd, int64_t pid) {
  if (!pidfd) {
    const char state = ProcessState(pid);
    return state == 0 || state == 'Z';
  }
  pollfd waiting{pidfd.get(), POLLIN, 0};
  return poll(&waiting, 1, 0) > 0;
}

}  // namespace

ProcessTable::ProcessTable(RunParts& parts, bool follow_children, Arguments arguments)
    : parts_(parts),
      session_(parts.session),
      profile_(parts.profile),
      follow_children_(follow_children),
      arguments_(arguments),
      began_(time(nullptr) - 1),  // file systems stamp with a coarse clock
      own_rank_(RankOf("self")),
      by_region_(wire::kMaxProcesses, nullptr) {}

size_t ProcessTable::Poll(std::vector<SampleRow>& rows) {
  parts_.perf_events.Receive();
  const HostNs now = session_.Now();
  // Whoever was waited for before this moment has shown all of itself to the look that follows.
  const uint64_t notes = session_.NotesBegun();
  FindNew(now, rows);
  FreeIgnored();
  // Asked before the last look at its rings; and at the regions, as it may have called exec and ended
  // since the first: this was one process then, not two.
  bool some_ended = false;
  for (const auto& process : live_) {
    process->ended = Ended(process->pidfd, process->drain.pid());
    some_ended = some_ended || process->ended;
  }
  if (some_ended) FindNew(session_.Now(), rows);
  size_t count = 0;
  for (size_t i = 0; i < live_.size();) {
    LiveProcess& process = *live_[i];
    count += DrainOne(process, session_.Now(), rows);
    if (process.ended) {
      End(i, session_.Now(), rows);
    } else {
      ++i;
    }
  }
  TakeNotes(notes, now, rows);
  return count;
}

void ProcessTable::TakeNotes(uint64_t end, HostNs now, std::vector<SampleRow>& rows) {
  notes_.clear();
  missed_notes_ += static_cast<int64_t>(session_.ReadNotes(end, notes_));
  if (!follow_children_) return;
  for (ProcessNoteCopy& note : notes_) {
    note.time = std::clamp<HostNs>(note.time, 0, now);
    parts_.clocks.Take(note, rows);
  }
}

size_t ProcessTable::DrainOne(LiveProcess& process, HostNs now, std::vector<SampleRow>& rows) {
  const size_t first = rows.size();
  const size_t count = process.drain.Drain(now, rows, [&](uint32_t slot, uint32_t generation) {
    parts_.perf_events.CloseThread(process.region, slot, generation);
  });
  samples_ += static_cast<int64_t>(count);
  GiveGpuSamples(rows, first);
  BeginJit(process);
  return count;
}

ThreadId ProcessTable::MainThread() const {
  for (size_t i = 0; main_process_ && i < profile_.threads.size(); ++i) {
    const Thread& thread = profile_.threads[i];
    if (thread.process == main_process_ && thread.tid == main_pid_)
      return ThreadId{static_cast<uint32_t>(i + 1)};
  }
  return {};
}

// What the host did on the CPU says why the GPU was idle.
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
  found_.clear();
  for (uint32_t index = 0; index < wire::kMaxProcesses; ++index) {
    const uint32_t state = session_.RegionStateOf(index);
    if (state == wire::kRegionReady && by_region_[index] == nullptr && !ignored_.contains(index)) {
      claimed_since_.erase(index);
      FoundRegion& found = found_.emplace_back(FoundRegion{index, std::nullopt});
      if (auto region = Region::Map(session_.memory(), index)) found.region = std::move(*region);
    } else if (state == wire::kRegionClaimed) {
      ReclaimAbandoned(index, now);
    }
  }
  // A program that called exec may have been found in a later region than the one it became.
  std::stable_sort(found_.begin(), found_.end(), [](const FoundRegion& a, const FoundRegion& b) {
    return a.StartNs() < b.StartNs();
  });
  for (FoundRegion& found : found_) Open(found.index, std::move(found.region), now, rows);
  found_.clear();
}

// A process that was killed between taking a region and filling its header would keep it for ever.
void ProcessTable::ReclaimAbandoned(uint32_t index, HostNs now) {
  if (by_region_[index] != nullptr) return;
  const auto since = claimed_since_.emplace(index, now).first;
  if (now - since->second < kClaimPatience) return;
  claimed_since_.erase(since);
  auto region = Region::Map(session_.memory(), index);
  if (!region) return;
  const int64_t pid = region->header().host_pid;
  if (pid <= 0 || kill(static_cast<pid_t>(pid), 0) != 0) session_.FreeRegion(index);
}

void ProcessTable::FreeIgnored() {
  for (auto it = ignored_.begin(); it != ignored_.end();) {
    if (Ended(it->second.pidfd, it->second.pid)) {
      session_.FreeRegion(it->first);
      it = ignored_.erase(it);
    } else {
      ++it;
    }
  }
}

// "train.py rank 3", where the program started the ranks.
std::string ProcessTable::NameOf(const Region& region,
                                 const std::vector<std::string>& command) const {
  const std::string name = ProcessName(region.Executable(), command);
  const std::string rank = RankOf(std::to_string(region.header().host_pid));
  return rank.empty() || rank == own_rank_ ? name : name + " " + rank;
}

void ProcessTable::Open(uint32_t index, std::optional<Region> region, HostNs now,
                        std::vector<SampleRow>& rows) {
  if (!region) {
    session_.control().processes_without_region.fetch_add(1, std::memory_order_relaxed);
    session_.FreeRegion(index);
    return;
  }
  const int64_t pid = region->header().host_pid;
  UniqueFd pidfd(static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0)));
  if (!follow_children_ && pid != main_pid_) {
    ignored_[index] = {std::move(pidfd), pid};
    return;
  }
  const std::vector<std::string> command = SplitCommand(region->Command());
  Process row;
  row.pid = pid;
  row.parent_pid = region->header().parent_pid;
  row.start = std::clamp<int64_t>(region->header().start_ns, 0, now);
  row.name = profile_.Intern(NameOf(*region, command));
  row.command = profile_.Intern(JoinCommand(StoredCommand(command, arguments_)));

  // The same pid in a new region: the process called exec, its old life is over.
  bool before = false;
  for (size_t i = 0; i < live_.size(); ++i) {
    if (live_[i]->drain.pid() != pid) continue;
    // In a PID namespace of its own a program does not know its parent's number.
    if (row.parent_pid == 0) {
      row.parent_pid = profile_.processes[live_[i]->drain.process().index()].parent_pid;
    }
    DrainOne(*live_[i], now, rows);
    End(i, row.start, rows);
    before = true;
    break;
  }
  if (row.parent_pid == 0) row.parent_pid = ParentOf(pid);
  if (!before) parts_.clocks.Appears(pid);
  profile_.processes.push_back(row);
  users_.resize(profile_.processes.size());
  users_.back() = UserOf(pid);
  const ProcessId id{static_cast<uint32_t>(profile_.processes.size())};
  if (pid == main_pid_) main_process_ = id;
  live_.push_back(std::make_unique<LiveProcess>(LiveProcess{
      index, std::move(pidfd),
      ProcessDrain(profile_, parts_.modules, parts_.metrics, std::move(*region), id,
                   parts_.wall_clock, &parts_.gpu),
      {},
      false}));
  live_.back()->drain.SetRaw(parts_.raw);
  live_.back()->drain.SetMarkers(&parts_.markers);
  live_.back()->drain.SetRest(&parts_.clocks.short_threads(), &parts_.clocks.window());
  by_region_[index] = live_.back().get();
}

void ProcessTable::End(size_t at, HostNs end, std::vector<SampleRow>& rows) {
  LiveProcess& process = *live_[at];
  ProcessDrain& drain = process.drain;
  drain.Close(end, rows, [](uint32_t, uint32_t) {});
  BeginJit(process);
  process.jit.Finish(drain.ingest().jit_addresses());
  KeepJitNames(process);
  Process& row = profile_.processes[drain.process().index()];
  row.end = std::max(end, row.start);
  parts_.clocks.ProgramEnded(drain, row.end, rows);
  ended_.Add(drain);
  KeepFault(drain);
  const uint32_t region = process.region;
  parts_.perf_events.CloseRegion(region);
  by_region_[region] = nullptr;
  live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(at));
  session_.FreeRegion(region);
}

void ProcessTable::KeepFault(const ProcessDrain& drain) {
  std::optional<Fault> fault = ReadFault(drain.region());
  if (!fault) return;
  ++fault_count_;
  if (faults_.size() == kMostFaults) return;
  fault->pid = drain.pid();
  fault->program = profile_.Text(profile_.processes[drain.process().index()].name);
  faults_.push_back(std::move(*fault));
}

void ProcessTable::Housekeeping() {
  for (const auto& process : live_) {
    process->drain.RefreshNames();
    process->drain.CompareThreads(session_.Now());
    FollowJit(*process);
    FollowUser(*process);
  }
}

// A process that has become another user is nobody's: what it maps may be chosen by either.
void ProcessTable::FollowUser(const LiveProcess& process) {
  std::optional<ProcessUser>& user = users_[process.drain.process().index()];
  const std::optional<ProcessUser> now = UserOf(process.drain.pid());
  constexpr ProcessUser kNobody{65534, 65534};
  if (now && user != now) user = user ? kNobody : *now;
}

bool ProcessTable::Hurries(HostNs now) const {
  return std::any_of(live_.begin(), live_.end(),
                     [now](const auto& process) { return process->drain.Hurries(now); });
}

void ProcessTable::CloseAll(std::vector<SampleRow>& rows) {
  Poll(rows);
  while (!live_.empty()) End(live_.size() - 1, session_.Now(), rows);
  for (int i = 0; i <= Session::kMostWaits; ++i)  // past notes that nobody will finish
    TakeNotes(session_.NotesBegun(), session_.Now(), rows);
  parts_.clocks.Finish(rows);
}

void ProcessTable::BeginJit(LiveProcess& process) {
  if (process.drain.ingest().jit_module() && !process.jit.begun())
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
    if (!Ended(process->pidfd, process->drain.pid())) pids.push_back(process->drain.pid());
  }
  for (const int64_t pid : parts_.clocks.WithoutRegion()) {
    const bool listed = std::find(pids.begin(), pids.end(), pid) != pids.end();
    if (!listed && !Ended({}, pid)) pids.push_back(pid);
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

std::optional<uint32_t> ProcessTable::CommonLevel() const {
  int64_t most = 0;
  for (const auto& process : live_) most = std::max(most, process->drain.GpuLaunches());
  std::optional<uint32_t> common;
  for (const auto& process : live_) {
    const wire::GpuHeader* header = process->drain.region().Gpu();
    if (header == nullptr || header->active.load() == 0) continue;
    if (!LaunchesEnough(process->drain.GpuLaunches(), most)) continue;
    const uint32_t level = header->level.load(std::memory_order_acquire);
    if (common && *common != level) return std::nullopt;
    common = level;
  }
  return common;
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
