#include "cli/record/recorder.h"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "cli/record/finish.h"
#include "cli/record/gpu_recording.h"
#include "cli/record/run_facts.h"
#include "cli/report/number.h"
#include "formats/profile_db.h"
#include "samplers/collector/inspect.h"
#include "samplers/collector/launch.h"
#include "samplers/collector/process_table.h"
#include "samplers/collector/session.h"
#include "samplers/collector/signals.h"
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
constexpr HostNs kDrainBusy = 50'000'000, kDrainIdle = 200'000'000;

int64_t CpuNs(const rusage& used) {
  const auto ns = [](const timeval& t) { return t.tv_sec * kSecond + t.tv_usec * 1000; };
  return ns(used.ru_utime) + ns(used.ru_stime);
}

class Recorder {
 public:
  Recorder(const RecordOptions& options, const LauncherState& launcher, const Machine& machine,
           const wire::SamplingPlan& plan, Session session, ProfileWriter writer)
      : options_(options),
        launcher_(launcher),
        machine_(machine),
        plan_(plan),
        session_(std::move(session)),
        writer_(std::move(writer)),
        processes_(session_, profile_, plan.wall_clock, plan.follow_children),
        wall_(static_cast<int64_t>(plan.nominal_period_ns)) {}

  int Run(const Inspection& inspection);

 private:
  void Loop();
  int WaitMs(HostNs now) const;
  void Step(HostNs now);
  void SwitchSampling(HostNs now);
  HostNs WindowBegin() const;  // as asked for
  HostNs WindowEnd() const;
  RecordingWindow& window() { return processes_.clocks().window(); }  // as it was
  void TakeSignals();
  void TakeEnd();
  void Act(SignalAction action, int signal);
  void Commit(HostNs now);
  void HandOver();
  void WaitForOutliving();
  RunFacts Facts() const;
  void DescribeQuality();
  void ReportEnd(const Status& finished);
  void ShowProgress(HostNs now);
  int64_t SampleCount() const { return samples_; }

  const RecordOptions& options_;
  const LauncherState& launcher_;
  Machine machine_;
  wire::SamplingPlan plan_;
  Session session_;
  ProfileWriter writer_;
  Profile profile_;
  ProcessTable processes_;
  WallSampler wall_;
  GpuRecording gpu_{options_, problems_};
  SignalRules rules_;
  Child child_;
  std::optional<int> status_;  // of the program, as a shell shows it
  std::vector<SampleRow> rows_;
  std::vector<std::string> problems_;
  int64_t samples_ = 0, dropped_rows_ = 0;
  HostNs next_commit_ = kCommitEvery, next_drain_ = 0, program_end_ = 0;
  HostNs drain_every_ = kDrainBusy;
  bool sampling_ = false, duration_over_ = false, write_failed_ = false;
  bool hurry_ = false;  // Ctrl-C after the program's end
};

int Recorder::Run(const Inspection& inspection) {
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
  auto child = Launch(request, launcher_, exec_errno);
  if (!child) {
    options_.say(child.error().Text());
    std::remove(options_.output.c_str());
    if (exec_errno == 0) return kStatusFailed;
    return exec_errno == ENOENT ? kStatusNotFound : kStatusNotExecutable;
  }
  child_ = std::move(*child);
  processes_.SetMain(child_.pid);
  Loop();
  WaitForOutliving();
  session_.SetSampling(false);
  processes_.CloseAll(rows_);
  session_.CloseSocket();
  processes_.SetMainExit(*status_);
  HandOver();
  gpu_.TellMessages(processes_.gpu());
  gpu_.TellLast(processes_, profile_);
  DescribeRun(Facts(), profile_);
  DescribeQuality();
  gpu_.DescribeEnd(processes_.gpu(), program_end_, profile_);
  options_.progress("gprof-x: naming functions");
  SymbolizeOptions symbolize;
  symbolize.use_cache = options_.use_cache;
  symbolize.use_debuginfod = options_.use_debuginfod;
  symbolize.foreign_helper = Beside(options_.agent, "gprofx-foreign");
  const GpuFinish gpu_finish{processes_.gpu().pc(), [this](uint64_t hash) {
                               return gpu_.ReadModule(processes_.gpu(), hash);
                             }};
  const Status finished =
      FinishProfile(writer_, profile_, processes_.jit_names(), symbolize, processes_.metrics().time,
                    processes_.gpu().used() ? &gpu_finish : nullptr, problems_);
  options_.progress("");
  ReportEnd(finished);
  if (!finished && *status_ == 0) return kStatusFailed;
  return *status_;
}

void Recorder::Loop() {
  while (!status_) {
    const HostNs now = session_.Now();
    Step(now);
    pollfd waiting[] = {{launcher_.signal_fd(), POLLIN, 0},
                        {child_.pidfd.get(), POLLIN, 0},
                        {session_.socket(), POLLIN, 0}};
    poll(waiting, 3, WaitMs(session_.Now()));
    if (waiting[0].revents != 0) TakeSignals();
    if (waiting[2].revents != 0) processes_.perf_events().Receive();
    if (waiting[1].revents != 0 || !child_.pidfd) TakeEnd();
  }
}

int Recorder::WaitMs(HostNs now) const {
  HostNs until = std::min(next_drain_, next_commit_);
  for (const HostNs change : {WindowBegin(), WindowEnd()}) {
    if (change > now) until = std::min(until, change);
  }
  if (plan_.wall_clock && sampling_) until = std::min(until, wall_.NextTick());
  return static_cast<int>(std::clamp<HostNs>((until - now + 999'999) / 1'000'000, 0, 1000));
}

void Recorder::Step(HostNs now) {
  SwitchSampling(now);
  const bool tick = plan_.wall_clock && sampling_ && now >= wall_.NextTick();
  if (now >= next_drain_ || tick) {
    const size_t count = processes_.Poll(rows_);
    samples_ += static_cast<int64_t>(count);
    // Rings hold seconds of samples: where little happens there is no reason to wake up often.
    drain_every_ = count > 0 ? kDrainBusy : std::min(drain_every_ * 2, kDrainIdle);
    next_drain_ = now + gpu_.DrainEvery(processes_, drain_every_);
    gpu_.TellMessages(processes_.gpu());
    if (plan_.use_perf != 0) processes_.perf_events().VaryPeriods(plan_.perf_period_ns, now);
  }
  if (tick) wall_.Tick(processes_, now, rows_);
  if (now >= next_commit_) {
    processes_.Housekeeping();
    Commit(now);
    ShowProgress(now);
    next_commit_ = std::max(next_commit_ + kCommitEvery, session_.Now() + kCommitEvery / 2);
  }
}

HostNs Recorder::WindowBegin() const { return static_cast<HostNs>(options_.delay_s * 1e9); }

HostNs Recorder::WindowEnd() const {
  if (options_.duration_s <= 0) return INT64_MAX;
  return WindowBegin() + static_cast<HostNs>(options_.duration_s * 1e9);
}

void Recorder::SwitchSampling(HostNs now) {
  const bool over = now >= WindowEnd();
  const bool wanted = now >= WindowBegin() && !over;
  if (wanted == sampling_) return;
  sampling_ = wanted;
  session_.SetSampling(wanted);
  (wanted ? window().begin : window().end) = now;
  if (wanted && plan_.wall_clock) wall_.Restart(processes_, now);
  if (over && !duration_over_) {
    duration_over_ = true;
    options_.tell("gprof-x: " + Seconds(window().end - window().begin) +
                  " are recorded; the program runs on, the profile is written at its end");
  }
}

void Recorder::TakeSignals() {
  signalfd_siginfo info;
  while (read(launcher_.signal_fd(), &info, sizeof info) == sizeof info) {
    const int signal = static_cast<int>(info.ssi_signo);
    Act(rules_.Decide(signal, info.ssi_code, session_.Now()), signal);
  }
}

void Recorder::Act(SignalAction action, int signal) {
  if (status_) {  // the program is gone: an interrupt ends our waiting
    hurry_ = hurry_ || signal == SIGINT || signal == SIGTERM || signal == SIGQUIT;
    return;
  }
  switch (action) {
    case SignalAction::kIgnore:
      break;
    case SignalAction::kForward:
      kill(child_.pid, signal);
      break;
    case SignalAction::kKill:
      kill(child_.pid, SIGKILL);
      break;
    case SignalAction::kContinue:
      if (ProcessState(child_.pid) == 'T') kill(child_.pid, SIGCONT);
      break;
    case SignalAction::kStop:
      kill(child_.pid, SIGTSTP);  // a second one for a stopped program does nothing
      raise(SIGSTOP);
      break;
  }
}

void Recorder::TakeEnd() {
  int wait_status = 0;
  rusage used{};
  pid_t got;
  do {
    got = wait4(child_.pid, &wait_status, WNOHANG, &used);
  } while (got < 0 && errno == EINTR);
  if (got == 0) return;
  status_ = got < 0 ? 255 : ExitStatus(wait_status);
  if (got > 0) processes_.SetMainUsage(CpuNs(used));
  program_end_ = session_.Now();
}

void Recorder::HandOver() {
  if (options_.timeline && !rows_.empty()) {
    if (write_failed_) {  // a full disk must not become a full memory
      dropped_rows_ += static_cast<int64_t>(rows_.size());
    } else {
      writer_.AppendSamples(rows_);
      profile_.sample_rows += static_cast<int64_t>(rows_.size());
    }
  }
  rows_.clear();
  gpu_.HandOver(processes_.gpu(), writer_, !write_failed_, session_.Now());
}

void Recorder::Commit(HostNs now) {
  HandOver();
  profile_.meta["duration_ns"] = std::to_string(now);
  DescribeQuality();
  const Status done = writer_.Commit(profile_);
  if (!done && !write_failed_) {
    options_.say(done.error().Text() + "; the program runs on");
  }
  write_failed_ = !done;
}

void Recorder::WaitForOutliving() {
  samples_ += static_cast<int64_t>(processes_.Poll(rows_));
  const HostNs give_up = session_.Now() + kOutliveFor;
  bool said = false;
  while (!hurry_) {
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
      options_.tell("gprof-x: waiting at most 2 s for processes that outlive the command:" + list);
      said = true;
    }
    pollfd waiting[] = {{launcher_.signal_fd(), POLLIN, 0}, {session_.socket(), POLLIN, 0}};
    poll(waiting, 2, pids.empty() ? 5 : 20);
    if (waiting[0].revents != 0) TakeSignals();
    samples_ += static_cast<int64_t>(processes_.Poll(rows_));
    if (plan_.wall_clock) wall_.Tick(processes_, now, rows_);
    if (now >= next_commit_) {
      Commit(now);
      next_commit_ = now + kCommitEvery;
    }
  }
}

RunFacts Recorder::Facts() const {
  return {options_, plan_, machine_, session_.Now(), program_end_, status_, problems_};
}

void Recorder::DescribeQuality() {
  if (options_.delay_s > 0 || options_.duration_s > 0) {
    const HostNs last = program_end_ > 0 ? program_end_ : session_.Now();
    const HostNs end = std::min(window().end, last);
    profile_.meta["window_begin_ns"] = std::to_string(std::min(window().begin, end));
    profile_.meta["window_end_ns"] = std::to_string(end);
  }
  gprofx::DescribeQuality(processes_, samples_, dropped_rows_,
                          session_.control().processes_without_region.load(), profile_);
  DescribeNotSampled(ReadNotSampled(session_.control().not_sampled), profile_);
  gpu_.Describe(processes_, profile_);
}

void Recorder::ShowProgress(HostNs now) {
  options_.progress("gprof-x: " + Seconds(now) + ", " + Grouped(SampleCount()) + " samples");
}

void Recorder::ReportEnd(const Status& finished) {
  if (!finished) {
    options_.say(finished.error().Text());
    return;
  }
  if (options_.verbose) {
    for (const std::string& problem : problems_) options_.say(problem);
  }
  const bool usual = options_.output == "profile.gprofx";
  options_.tell("gprof-x: " + Grouped(SampleCount()) + " samples, " + Seconds(program_end_) +
                " -> " + options_.output + " (report: gprof-x report" +
                (usual ? "" : " " + options_.output) + ")");
  if (const int64_t count = profile_.quality["not_sampled"]; count > 0) {
    options_.tell("gprof-x: " + NotSampledLine(count, profile_.meta["not_sampled"]));
  }
}

}  // namespace

int Record(const RecordOptions& options) {
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
  auto writer = ProfileWriter::Create(options.output);
  if (!writer) {
    options.say(writer.error().Text());
    return kStatusFailed;
  }
  auto session = Session::Create(plan, options.delay_s <= 0);
  if (!session) {
    std::remove(options.output.c_str());
    options.say(session.error().Text());
    return kStatusFailed;
  }
  Recorder recorder(options, launcher, machine, plan, std::move(*session), std::move(*writer));
  return recorder.Run(inspection);
}

}  // namespace gprofx
