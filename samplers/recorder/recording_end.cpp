// Ends a recording: waits for processes that outlive the command, writes facts about the recording
// into the profile, and finishes the file.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "samplers/recorder/fault_names.h"
#include "samplers/recorder/finish.h"
#include "samplers/recorder/recording.h"

namespace gprofx::recorder {
namespace {

constexpr HostNs kOutliveFor = 2 * kNsPerSecond;
constexpr HostNs kAppearWithin = 20'000'000;

std::string Beside(const std::string& path, const char* name) {
  return path.substr(0, path.rfind('/') + 1) + name;
}

// Returns the limit RLIMIT_SIGPENDING of this process, which programs inherit.
uint64_t PendingSignalLimit() {
  rlimit limit{};
  return getrlimit(RLIMIT_SIGPENDING, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

}  // namespace

void Recording::Stop() {
  const auto others = [this] { return timers_[Pass::kDrain] + timers_[Pass::kCommit]; };
  const HostNs before = others();
  if (attachment_ == nullptr) {
    WaitForOutliving();
  } else {
    Leave();
  }
  session_.SetSampling(false);
  control_.AnswerAll(session_);
  timers_.Measure(Pass::kDrain, [&] { processes_.CloseAll(rows_, EndOfProgram()); });
  session_.CloseSocket();
  if (attachment_ == nullptr) processes_.SetMainExit(*program_.status());
  timers_.Measure(Pass::kCommit, [&] { HandOver(); });
  timers_[Pass::kStop] = session_.Now() - program_end_ - (others() - before);
}

std::optional<ProcessNoteCopy> Recording::EndOfProgram() const {
  const std::optional<int64_t> used = program_.cpu_ns();
  if (!used) return std::nullopt;
  return ProcessNoteCopy{wire::kNoteReaped, program_.pid(), getpid(), *used, command_end_};
}

// Ends the recording in attached processes. Drains the rings first, because they may be full, and
// samples that are taken meanwhile would be lost.
void Recording::Leave() {
  attachment_->EndEntering();
  Poll();
  session_.SetSampling(false);
  if (window().end == INT64_MAX || window().end > session_.Now()) window().end = session_.Now();
  attachment_->LeaveAll(processes_);
}

void Recording::WaitForOutliving() {
  Poll();
  const HostNs give_up = session_.Now() + kOutliveFor;
  bool said = false;
  while (!program_.hurry()) {
    const std::vector<int64_t> pids = processes_.AlivePids();
    const HostNs now = session_.Now();
    if (!pids.empty()) program_end_ = now;
    // Wait a little even if no process is left. A child that was forked just before may not be
    // visible yet.
    if (pids.empty() && now > program_end_ + kAppearWithin) return;
    if (now >= give_up && !pids.empty()) {
      problems_.Tell(problem::LeftBehind{pids});
      return;
    }
    if (!said && !pids.empty() && now > give_up - kOutliveFor + kNsPerSecond / 4) {
      listener_.Tell(event::Outlived{pids});
      said = true;
    }
    Wait(pids.empty() ? 5 : 20);
    FollowControl(session_.Now());
    Poll();
    if (plan_.wall_clock && sampling_) {
      timers_.Measure(Pass::kDrain, [&] { wall_.Tick(processes_, now, rows_); });
    }
    if (now >= next_commit_) {
      Commit(now);
      next_commit_ = now + kCommitEvery;
    }
  }
}

Status Recording::Finish() {
  gpu_.TellMessages();
  gpu_.TellLast(processes_.Totals());
  Describe();
  TellLosses();
  DescribeRun(Facts(), profile_);
  gpu_.DescribeEnd(program_end_);
  listener_.Tell(event::Naming{});
  writer_->EndThread();  // must end before symbolizing, which forks
  TellFaults();
  if (!begun_) TellCommits();
  copy_.WaitForEnd();
  TakeCopy();
  TellNoSteps();
  return WriteFinal(*writer_, "the end", [] {});
}

// Finishes the file. `why` and `ready` are passed to CutWindow; they matter only with --last.
Status Recording::WriteFinal(ProfileWriter& writer, const std::string& why,
                             const std::function<void()>& ready) {
  if (options_.last != 0) {
    if (Status cut = CutWindow(writer, why, ready); !cut) return cut;
  }
  timers_ = Times();
  FinishInput input;
  input.jit_names = &processes_.jit_names();
  input.time = parts_.metrics.time;
  input.symbolize = NamesWith();
  input.arguments = options_.arguments;
  parts_.modules.files().MarkReplaced(profile_);
  input.readers = FileReaders(profile_, processes_.users(), geteuid());
  const auto& sees = processes_.sees_our_files();
  input.readable = ReadableSources(profile_.processes.size(), processes_.users(), sees, geteuid());
  input.may_read_gpu_sources =
      !input.readers.OfAll() && std::find(sees.begin(), sees.end(), false) == sees.end();
  if (parts_.gpu.used() && options_.last == 0) {
    input.pc = &parts_.gpu.pc();
    input.read = [this](uint64_t hash) { return gpu_.ReadModule(hash); };
  }
  return FinishProfile(writer, profile_, input, problems_, timers_);
}

SymbolizeOptions Recording::NamesWith() const {
  SymbolizeOptions with;
  with.use_cache = options_.use_cache;
  with.use_debuginfod = options_.use_debuginfod;
  with.foreign_helper = Beside(options_.agent, "gprofx-foreign");
  return with;
}

RunFacts Recording::Facts() const {
  return {options_, plan_, machine_, session_.Now(), program_end_, program_.status(), problems_};
}

void Recording::Describe() {
  const HostNs last = program_end_ > 0 ? program_end_ : session_.Now();
  if (options_.delay_s > 0 || (options_.duration_s > 0 && attachment_ == nullptr)) {
    const HostNs end = std::min(window().end, last);
    profile_.meta["window_begin_ns"] = std::to_string(std::min(window().begin, end));
    profile_.meta["window_end_ns"] = std::to_string(end);
  }
  const ProcessTotals totals = processes_.Totals();
  const int64_t unread_notes = processes_.missed_notes();
  DescribeQuality(
      {totals, parts_.clocks, processes_.samples(), unread_notes, session_.WithoutRegion()},
      profile_);
  DescribeNotSampled(ReadNotSampled(session_.NotSampledTables()), profile_);
  const auto count = [&](const char* name, int64_t number) {
    if (number > 0) profile_.quality[name] = number;
  };
  count("users_left_out", processes_.left_out_users());
  count("processes_unconfirmed", processes_.unconfirmed());
  count("processes_cut_short", processes_.cut_short());
  count("messages_refused", parts_.perf_events.refused());
  profile_.quality["longest_drain_gap_ns"] = longest_gap_;
  profile_.quality["commits_merged"] = merged_commits_;
  const int64_t paused =
      paused_ns_ + (paused_since_ != 0 ? std::max<HostNs>(last - paused_since_, 0) : 0);
  if (paused > 0) profile_.quality["paused_ns"] = paused;
  sparse_.Describe(profile_.quality);
  gpu_.Describe(totals);
  parts_.markers.Publish(profile_.quality);
  Times().Describe(profile_.meta);
}

PassTimers Recording::Times() const {
  PassTimers times = timers_;
  times[Pass::kIngest] = processes_.Totals().ingest_ns;
  times[Pass::kDrain] -= times[Pass::kIngest];
  if (writer_ != nullptr) times[Pass::kWrite] = writer_->writing_ns();
  return times;
}

namespace {

// Returns the name of an interpreter in the program whose frames gprof-x does not read. Returns
// null if there is none.
const char* InterpreterThatIsNotRead(const Profile& profile) {
  for (const Module& module : profile.modules) {
    const std::string_view path = profile.Text(module.path);
    const std::string_view name = path.substr(path.find_last_of('/') + 1);
    if (name.starts_with("libpypy") || name.starts_with("pypy")) return "PyPy";
    if (name.starts_with("libpythonvm") || name.starts_with("graalpy")) return "GraalPy";
  }
  return nullptr;
}

}  // namespace

void Recording::TellLosses() {
  const auto timers = profile_.quality.find("timers_failed");
  if (timers != profile_.quality.end() && timers->second > 0) {
    problems_.Tell(problem::TimersMissing{timers->second, PendingSignalLimit()});
  }
  if (profile_.quality["python_unknown"] > 0) {
    problems_.Tell(
        problem::CannotSample{"Python frames are missing, because this version of the interpreter "
                              "is unknown; gprof-x supports releases of CPython 3.8 to 3.15"});
  }
  if (const char* other = InterpreterThatIsNotRead(profile_)) {
    problems_.Tell(problem::CannotSample{std::string("Python frames of ") + other +
                                         " are missing; its rows show the interpreter's own code"});
  }
  if (const int64_t rows = writer_->dropped_rows(); rows > 0) {
    problems_.Tell(problem::RowsDropped{rows});
  }
}

void Recording::TellFaults() {
  const FileReaders readers(profile_, processes_.users(), geteuid());
  for (const Fault& fault : processes_.faults()) {
    problems_.Tell(
        problem::EndedByFault{fault.pid, fault.program, fault.thread, fault.signal, fault.address,
                              NamesOf(fault, NamesWith(), readers.OfAll()), IsNearUs(fault)});
  }
  const auto told = static_cast<int64_t>(processes_.faults().size());
  if (processes_.fault_count() > told) {
    problems_.Tell(problem::MoreFaults{processes_.fault_count() - told});
  }
}

void Recording::TellEnd(const Status& finished) {
  if (!finished) {
    listener_.Tell(event::Failed{finished.error()});
    return;
  }
  listener_.Tell(event::Finished{Output(), program_end_, processes_.samples(),
                                 profile_.quality["not_sampled"], profile_.meta["not_sampled"],
                                 problems_.sentences(), timers_, parts_.gpu.used()});
}

}  // namespace gprofx::recorder
