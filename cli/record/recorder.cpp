#include "cli/record/recorder.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string_view>

#include "cli/record/claim_profile.h"
#include "cli/record/finish.h"
#include "cli/record/gpu_recording.h"
#include "cli/record/launch_advice.h"
#include "cli/record/run_facts.h"
#include "cli/record/supervisor.h"
#include "cli/report/number.h"
#include "formats/profile_db.h"
#include "samplers/collector/control_channel.h"
#include "samplers/collector/inspect.h"
#include "samplers/collector/launch.h"
#include "samplers/collector/names.h"
#include "samplers/collector/process_table.h"
#include "samplers/collector/session.h"
#include "samplers/collector/wall.h"

namespace gprofx {
namespace {

std::string Beside(const std::string& path, const char* name) {
  return path.substr(0, path.rfind('/') + 1) + name;
}

constexpr HostNs kSecond = 1'000'000'000;
// A kill of gprof-x may cost a second at most: this, one drain and the commit itself.
constexpr HostNs kCommitEvery = kSecond * 7 / 10;
constexpr HostNs kOutliveFor = 2 * kSecond;
constexpr HostNs kAppearWithin = 20'000'000;
constexpr HostNs kFollowWithin = kSecond / 2;  // a command that a busy process does not follow
constexpr HostNs kDrainBusy = 50'000'000, kDrainIdle = 200'000'000;

class Recorder {
 public:
  Recorder(const RecordOptions& options, const Machine& machine, const wire::SamplingPlan& plan,
           Session session, ProfileWriter& writer, Supervisor& program)
      : options_(options),
        machine_(machine),
        plan_(plan),
        session_(std::move(session)),
        writer_(writer),
        program_(program),
        processes_(session_, profile_, plan.wall_clock, plan.follow_children),
        wall_(static_cast<int64_t>(plan.nominal_period_ns)) {}

  ~Recorder() { writer_.EndThread(); }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Starts the program. Not 0: it could not be started, and this is the exit status.
  int Start(const Inspection& inspection, const LauncherState& launcher);
  // Records it to its end and finishes the profile. False: it could not be written.
  bool Run();

 private:
  void Loop();
  int WaitMs(HostNs now) const;
  void Step(HostNs now);
  void Drain(HostNs now);
  void SwitchSampling(HostNs now);
  void FollowControl();
  HostNs WindowBegin() const;  // as asked for
  HostNs WindowEnd() const;
  RecordingWindow& window() { return processes_.clocks().window(); }  // as it was
  void Wait(int ms);
  void Commit(HostNs now);
  void TellCommits();
  void HandOver();
  void WaitForOutliving();
  RunFacts Facts() const;
  void DescribeQuality();
  void TellLosses();
  void Tell(const std::string& problem);
  void ReportEnd(const Status& finished);
  void ShowProgress(HostNs now);
  int64_t SampleCount() const { return samples_; }

  const RecordOptions& options_;
  Machine machine_;
  wire::SamplingPlan plan_;
  Session session_;
  ProfileWriter& writer_;
  Supervisor& program_;
  Profile profile_;
  ProcessTable processes_;
  WallSampler wall_;
  GpuRecording gpu_{options_, problems_};
  std::vector<SampleRow> rows_;
  std::vector<std::string> problems_;
  int64_t samples_ = 0;
  HostNs next_commit_ = kCommitEvery, next_drain_ = 0, program_end_ = 0;
  HostNs drain_every_ = kDrainBusy;
  HostNs last_drain_ = 0, longest_gap_ = 0;
  bool sampling_ = false, duration_over_ = false, write_failed_ = false;
  std::optional<ControlChannel> control_;
  wire::GpuLevel controlled_ = wire::kLevelAuto;
  HostNs control_until_ = 0;  // a command waits for its acknowledgement until then, 0 = none does
};

int Recorder::Start(const Inspection& inspection, const LauncherState& launcher) {
  if (!options_.control.empty()) {
    auto control = ControlChannel::Open(options_.control);
    if (!control) {
      options_.say(control.error().Text());
      return kStatusFailed;
    }
    control_.emplace(std::move(*control));
  }
  sampling_ = options_.delay_s <= 0;
  if (!sampling_) window().begin = INT64_MAX;
  DescribeRun(Facts(), profile_);
  if (!inspection.problem.empty()) {
    problems_.push_back(inspection.problem);
    options_.say(inspection.problem);
  }
  if (inspection.reason) {
    wire::CountNotSampled(session_.control().not_sampled, *inspection.reason,
                          inspection.program.c_str());
  }
  LaunchRequest request;
  request.command = options_.command;
  request.program = inspection.program;
  request.agent = inspection.preload ? options_.agent : "";
  request.session = session_.EnvironmentValue();
  gpu_.Begin(session_, processes_);
  request.cuda = gpu_.library();
  int exec_errno = 0;
  auto child = Launch(request, launcher, exec_errno);
  if (!child) {
    if (exec_errno == 0) {
      options_.say(child.error().Text());
      return kStatusFailed;
    }
    options_.say("cannot run " + options_.command[0] + ": " +
                 WhyNotStarted(inspection.program, exec_errno));
    return exec_errno == ENOENT ? kStatusNotFound : kStatusNotExecutable;
  }
  program_.Watch(std::move(*child));
  return 0;
}

bool Recorder::Run() {
  options_.program_runs(true);
  processes_.SetMain(program_.pid());
  if (Status begun = writer_.Begin(); !begun) {
    options_.say(begun.error().Text() + "; the program runs on");
    write_failed_ = true;
  }
  Loop();
  options_.program_runs(false);
  WaitForOutliving();
  session_.SetSampling(false);
  processes_.CloseAll(rows_);
  session_.CloseSocket();
  processes_.SetMainExit(*program_.status());
  if (program_.cpu_ns() >= 0) processes_.SetMainUsage(program_.cpu_ns());
  HandOver();
  gpu_.TellMessages(processes_.gpu());
  gpu_.TellLast(processes_, profile_);
  DescribeQuality();
  TellLosses();
  DescribeRun(Facts(), profile_);
  gpu_.DescribeEnd(processes_.gpu(), program_end_);
  options_.progress("naming functions");
  SymbolizeOptions symbolize;
  symbolize.use_cache = options_.use_cache;
  symbolize.use_debuginfod = options_.use_debuginfod;
  symbolize.foreign_helper = Beside(options_.agent, "gprofx-foreign");
  const GpuFinish gpu_finish{processes_.gpu().pc(), [this](uint64_t hash) {
                               return gpu_.ReadModule(processes_.gpu(), hash);
                             }};
  writer_.EndThread();  // symbolizing forks
  const Status finished =
      FinishProfile(writer_, profile_, processes_.jit_names(), symbolize, processes_.metrics().time,
                    processes_.gpu().used() ? &gpu_finish : nullptr, problems_);
  ReportEnd(finished);
  return finished.ok();
}

void Recorder::Loop() {
  while (!program_.status()) {
    Step(session_.Now());
    Wait(WaitMs(session_.Now()));
  }
  program_end_ = session_.Now();
}

// Until something happens, at most `ms`.
void Recorder::Wait(int ms) {
  pollfd of_program[2];
  program_.Poll(of_program);
  pollfd waiting[] = {of_program[0],
                      of_program[1],
                      {session_.socket(), POLLIN, 0},
                      {control_ ? control_->fd() : -1, POLLIN, 0}};
  poll(waiting, 4, ms);
  if (waiting[2].revents != 0) processes_.perf_events().Receive();
  of_program[0] = waiting[0];
  of_program[1] = waiting[1];
  program_.Take(of_program);
}

int Recorder::WaitMs(HostNs now) const {
  HostNs until = std::min(next_drain_, next_commit_);
  for (const HostNs change : {WindowBegin(), WindowEnd()}) {
    if (change > now) until = std::min(until, change);
  }
  if (plan_.wall_clock && sampling_) until = std::min(until, wall_.NextTick());
  if (control_until_ != 0) until = std::min(until, now + kSecond / 1000);
  return static_cast<int>(std::clamp<HostNs>((until - now + 999'999) / 1'000'000, 0, 1000));
}

void Recorder::FollowControl() {
  if (!control_) return;
  const HostNs now = session_.Now();
  if (const auto level = control_->Take()) {
    controlled_ = *level;
    session_.control().gpu_level.store(controlled_, std::memory_order_relaxed);
    SwitchSampling(now);
    control_until_ = now + kFollowWithin;
  }
  if (control_until_ == 0 || !(now >= control_until_ || processes_.HaveLevel(controlled_))) return;
  control_until_ = 0;
  control_->Acknowledge();
}

void Recorder::Step(HostNs now) {
  FollowControl();
  SwitchSampling(now);
  const bool tick = plan_.wall_clock && sampling_ && now >= wall_.NextTick();
  if (now >= next_drain_ || tick) Drain(now);
  if (tick) wall_.Tick(processes_, now, rows_);
  if (now >= next_commit_) {
    processes_.Housekeeping();
    Commit(now);
    ShowProgress(now);
    next_commit_ = std::max(next_commit_ + kCommitEvery, session_.Now() + kCommitEvery / 2);
  }
}

void Recorder::Drain(HostNs now) {
  longest_gap_ = std::max(longest_gap_, now - last_drain_);
  last_drain_ = now;
  const size_t count = processes_.Poll(rows_);
  samples_ += static_cast<int64_t>(count);
  // Rings hold seconds of samples: where little happens there is no reason to wake up often.
  drain_every_ = count > 0 ? kDrainBusy : std::min(drain_every_ * 2, kDrainIdle);
  next_drain_ = now + gpu_.DrainEvery(processes_, drain_every_);
  gpu_.TellMessages(processes_.gpu());
  if (plan_.use_perf != 0) processes_.perf_events().VaryPeriods(plan_.perf_period_ns, now);
}

HostNs Recorder::WindowBegin() const { return static_cast<HostNs>(options_.delay_s * 1e9); }

HostNs Recorder::WindowEnd() const {
  if (options_.duration_s <= 0) return INT64_MAX;
  return WindowBegin() + static_cast<HostNs>(options_.duration_s * 1e9);
}

void Recorder::SwitchSampling(HostNs now) {
  const bool over = now >= WindowEnd();
  const bool wanted = now >= WindowBegin() && !over && controlled_ != wire::kLevelOff;
  if (wanted == sampling_) return;
  sampling_ = wanted;
  session_.SetSampling(wanted);
  (wanted ? window().begin : window().end) = now;
  if (wanted && plan_.wall_clock) wall_.Restart(processes_, now);
  if (over && !duration_over_) {
    duration_over_ = true;
    options_.tell(Seconds(window().end - window().begin) +
                  " are recorded; the program runs on, the profile is written at its end");
  }
}

void Recorder::HandOver() {
  if (options_.timeline && !rows_.empty()) {
    writer_.AppendSamples(rows_);
    profile_.sample_rows += static_cast<int64_t>(rows_.size());
  }
  rows_.clear();
  gpu_.HandOver(processes_.gpu(), writer_, session_.Now());
}

// Does not wait for the file: what it cannot take now goes with the next commit.
void Recorder::Commit(HostNs now) {
  HandOver();
  profile_.meta["duration_ns"] = std::to_string(now);
  DescribeQuality();
  writer_.CommitInBackground(profile_);
  TellCommits();
}

void Recorder::TellCommits() {
  const std::optional<Status> done = writer_.TakeOutcome();
  if (!done) return;
  if (!*done && !write_failed_) options_.say(done->error().Text() + "; the program runs on");
  write_failed_ = !*done;
}

void Recorder::WaitForOutliving() {
  samples_ += static_cast<int64_t>(processes_.Poll(rows_));
  const HostNs give_up = session_.Now() + kOutliveFor;
  bool said = false;
  while (!program_.hurry()) {
    const std::vector<int64_t> pids = processes_.AlivePids();
    const HostNs now = session_.Now();
    // A child that was forked just before may not have shown itself yet.
    if (pids.empty() && now > program_end_ + kAppearWithin) return;
    const std::string list = ListOf(pids);
    if (now >= give_up && !pids.empty()) {
      problems_.push_back("processes that outlived the command were recorded for 2 s more:" + list);
      options_.say("not waiting any longer for processes that outlive the command:" + list);
      return;
    }
    if (!said && !pids.empty() && now > give_up - kOutliveFor + kSecond / 4) {
      options_.tell("waiting at most 2 s for processes that outlive the command:" + list);
      said = true;
    }
    Wait(pids.empty() ? 5 : 20);
    samples_ += static_cast<int64_t>(processes_.Poll(rows_));
    if (plan_.wall_clock) wall_.Tick(processes_, now, rows_);
    if (now >= next_commit_) {
      Commit(now);
      next_commit_ = now + kCommitEvery;
    }
  }
}

RunFacts Recorder::Facts() const {
  return {options_, plan_, machine_, session_.Now(), program_end_, program_.status(), problems_};
}

void Recorder::DescribeQuality() {
  if (options_.delay_s > 0 || options_.duration_s > 0) {
    const HostNs last = program_end_ > 0 ? program_end_ : session_.Now();
    const HostNs end = std::min(window().end, last);
    profile_.meta["window_begin_ns"] = std::to_string(std::min(window().begin, end));
    profile_.meta["window_end_ns"] = std::to_string(end);
  }
  gprofx::DescribeQuality(processes_, samples_,
                          session_.control().processes_without_region.load(), profile_);
  DescribeNotSampled(ReadNotSampled(session_.control().not_sampled), profile_);
  profile_.quality["longest_drain_gap_ns"] = longest_gap_;
  gpu_.Describe(processes_, profile_);
}

void Recorder::ShowProgress(HostNs now) {
  options_.progress(Seconds(now) + ", " + Grouped(SampleCount()) + " samples");
}

void Recorder::TellLosses() {
  const auto timers = profile_.quality.find("timers_failed");
  const std::string untimed =
      MissingTimers(timers == profile_.quality.end() ? 0 : timers->second, PendingSignalLimit());
  if (!untimed.empty()) Tell(untimed);
  if (const int64_t rows = writer_.dropped_rows(); rows > 0) {
    Tell(Grouped(rows) + " rows of the timeline could not be stored while the file could not be "
         "written");
  }
}

void Recorder::Tell(const std::string& problem) {
  problems_.push_back(problem);
  options_.say(problem);
}

void Recorder::ReportEnd(const Status& finished) {
  if (!finished) {
    options_.say(finished.error().Text());
    return;
  }
  if (options_.verbose) {
    for (const std::string& problem : problems_) options_.say(problem);
  }
  std::vector<std::string> read{"gprof-x", "report"};
  if (options_.output != kUsualName) read.push_back(options_.output);
  options_.tell(Grouped(SampleCount()) + " samples, " + Seconds(program_end_) +
                " -> " + options_.output + " (report: " + JoinCommand(read) + ")");
  if (const int64_t count = profile_.quality["not_sampled"]; count > 0) {
    options_.tell(NotSampledLine(count, profile_.meta["not_sampled"]));
  }
}

// The recording broke off: the program goes on as if nothing had been, and the profile stays as it
// was last committed.
void SayBrokenOff(const RecordOptions& options, bool runs, const char* reason) noexcept {
  try {
    const std::string why = *reason == '\0' || std::string_view(reason) == "std::bad_alloc"
                                ? "out of memory"
                                : reason;
    options.say("the recording broke off: " + why + (runs ? "; the program runs on" : "") + "; '" +
                options.output + "' holds what was recorded until then");
  } catch (const std::exception&) {  // what cannot be said is still done
  }
}

}  // namespace

int Record(const RecordOptions& asked) {
  RecordOptions options = asked;
  const char* path = std::getenv("PATH");
  const Inspection inspection =
      InspectCommand(options.command.at(0), path != nullptr ? path : "/bin:/usr/bin");
  if (inspection.found != Found::kYes) {
    const bool missing = inspection.found == Found::kNotFound;
    options.say("cannot run " + options.command[0] + ": " +
                (missing ? "no such program" : "it is not executable"));
    return missing ? kStatusNotFound : kStatusNotExecutable;
  }
  const LauncherState launcher;
  const Machine machine = DetectMachine();
  const wire::SamplingPlan plan = MakePlan(options.plan, machine);
  auto writer = ClaimProfile(options);
  if (!writer) {
    options.say(writer.error().Text());
    return kStatusFailed;
  }
  auto session = Session::Create(plan, options.delay_s <= 0);
  if (!session) {
    options.say(session.error().Text());
    return kStatusFailed;
  }
  Supervisor program(launcher);
  bool written = false;
  // Once the program runs, nothing that goes wrong here may leave it alone.
  try {
    Recorder recorder(options, machine, plan, std::move(*session), *writer, program);
    const int failed = recorder.Start(inspection, launcher);
    if (failed != 0) return failed;
    written = recorder.Run();
  } catch (const std::exception& error) {
    if (!program.watches()) throw;
    SayBrokenOff(options, !program.status(), error.what());
    program.WaitForEnd();
  }
  return !written && *program.status() == 0 ? kStatusFailed : *program.status();
}

}  // namespace gprofx
