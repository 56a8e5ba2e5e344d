#include "samplers/recorder/recording.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace gprofx::recorder {
namespace {

constexpr HostNs kDrainBusy = 50'000'000, kDrainIdle = 200'000'000;
constexpr HostNs kDrainWatched = 200'000'000;  // more frequent updates would not be visible
constexpr HostNs kDrainAsking = 5'000'000;     // while agents are asked to sample more threads
// Maximum number of threads of a process that should end between two drains. A new thread reuses
// the memory of a thread whose slot was drained. Fresh memory would cost more than everything else
// that is done for a thread.
constexpr HostNs kMaxEnded = 64;

RecordingWindow WindowOf(const RecordOptions& options) {
  RecordingWindow window;
  window.begin = static_cast<HostNs>(options.delay_s * 1e9);
  if (options.duration_s > 0) {
    window.end = window.begin + static_cast<HostNs>(options.duration_s * 1e9);
  }
  return window;
}

}  // namespace

uint32_t SparseBudget(const RecordOptions& options) {
  const bool all =
      options.plan.rate_is_asked || options.plan.wall_clock || options.gpu.choice == GpuChoice::kPc;
  return all ? 0 : options.gpu.budget;
}

Recording::Recording(RecordingSetup setup, Supervisor& program, Listener& listener)
    : options_(setup.options),
      machine_(setup.machine),
      plan_(setup.plan),
      session_(std::move(setup.session)),
      writer_(setup.writer),
      watcher_(setup.options.watcher),
      program_(program),
      listener_(listener),
      problems_(listener),
      parts_(session_, profile_, plan_.wall_clock),
      processes_(parts_, plan_.follow_children, options_.arguments),
      wall_(static_cast<int64_t>(plan_.nominal_period_ns)),
      gpu_(options_, parts_, problems_),
      sparse_(SparseBudget(options_), ExpectedRate(plan_, machine_), session_, parts_.perf_events),
      window_of_last_(options_.last),
      triggers_(options_.when),
      asked_(WindowOf(options_)),
      next_commit_(kCommitEvery),
      drain_every_(kDrainBusy) {
  KeepLast();
}

int Recording::Start(const Inspection& inspection, const LauncherState& launcher, int64_t began) {
  if (const Status opened = control_.Open(options_.control); !opened) {
    listener_.Tell(event::Failed{opened.error()});
    return kStatusFailed;
  }
  sampling_ = options_.delay_s <= 0;
  if (!sampling_) window().begin = INT64_MAX;
  DescribeRun(Facts(), profile_);
  if (!inspection.problem.empty()) problems_.Tell(problem::CannotSample{inspection.problem});
  if (inspection.reason) {
    session_.CountNotSampled(*inspection.reason, inspection.program);
  }
  LaunchRequest request;
  request.command = options_.command;
  request.program = inspection.program;
  request.agent = inspection.preload ? options_.agent : "";
  if (const Status raw = gpu_.BeginRaw(); !raw) listener_.Tell(event::Failed{raw.error()});
  gpu_.Begin(Output());
  request.session = session_.EnvironmentValue();
  request.stdio = options_.program_stdio;
  request.cuda = gpu_.library();
  request.nvtx = LibraryBeside(options_.agent, "libgprofx-nvtx.so");
  if (options_.memory) request.memory = LibraryBeside(options_.agent, "libgprofx-memory.so");
  if (const std::string other = OtherNvtx(request.nvtx); !request.agent.empty() && !other.empty()) {
    problems_.Tell(problem::OtherNvtx{other});
  }
  int exec_errno = 0;
  auto child = Launch(request, launcher, exec_errno);
  timers_[Pass::kLaunch] = MonotonicNs() - began;
  if (!child) {
    if (exec_errno == 0) {
      listener_.Tell(event::Failed{child.error()});
      return kStatusFailed;
    }
    listener_.Tell(event::CannotStart{options_.command[0], inspection.program, true, exec_errno});
    return exec_errno == ENOENT ? kStatusNotFound : kStatusNotExecutable;
  }
  program_.Watch(std::move(*child));
  return 0;
}

int Recording::Enter(int64_t began) {
  sampling_ = options_.delay_s <= 0;
  if (!sampling_) window().begin = INT64_MAX;
  DescribeRun(Facts(), profile_);
  profile_.meta["attached"] = std::to_string(options_.pid);
  if (const Status raw = gpu_.BeginRaw(); !raw) listener_.Tell(event::Failed{raw.error()});
  gpu_.Begin(Output());
  attachment_ =
      std::make_unique<Attachment>(options_.process, plan_.follow_children,
                                   attach::AttachSetup{options_.agent, session_.EnvironmentValue(),
                                                       [this] { parts_.perf_events.Receive(); }},
                                   parts_, problems_, listener_);
  auto target = attachment_->EnterMain();
  timers_[Pass::kLaunch] = MonotonicNs() - began;
  if (!target) {
    listener_.Tell(event::Failed{target.error()});
    return kStatusFailed;
  }
  attachment_->EnterNew(processes_);
  program_.WatchOther(std::move(*target));
  return 0;
}

const std::string& Recording::Output() const {
  return writer_ != nullptr ? writer_->path() : options_.output;
}

// True while the recording continues. The recording of a process that is not our child may also be
// ended by the user or by --duration.
bool Recording::Goes() const {
  if (program_.status()) return false;
  return attachment_ == nullptr || !(program_.stop_asked() || session_.Now() >= asked_.end);
}

bool Recording::Run() {
  listener_.Tell(event::ProgramRuns{true});
  if (options_.last != 0) listener_.Tell(event::KeepsLast{options_.last, getpid()});
  processes_.SetMain(program_.pid());
  if (writer_ != nullptr) writer_->BeginInBackground();
  Loop();
  if (watcher_ != nullptr) LookLast();
  listener_.Tell(event::ProgramRuns{false});
  Stop();
  if (writer_ == nullptr) return true;
  const Status finished = Finish();
  TellEnd(finished);
  return finished.ok();
}

void Recording::Loop() {
  while (Goes()) {
    Step(session_.Now());
    Wait(WaitMs(session_.Now()));
  }
  program_end_ = command_end_ = session_.Now();
}

// Waits until a descriptor is ready, at most `ms` milliseconds.
void Recording::Wait(int ms) {
  pollfd of_program[2];
  program_.Poll(of_program);
  pollfd of_watcher[2] = {{-1, POLLIN, 0}, {-1, POLLIN, 0}};
  if (watcher_ != nullptr) watcher_->Poll(of_watcher);
  pollfd waiting[] = {
      of_program[0], of_program[1], {session_.socket(), POLLIN, 0}, {control_.fd(), POLLIN, 0},
      of_watcher[0], of_watcher[1], {copy_.fd(), POLLIN, 0}};
  poll(waiting, 7, ms);
  if (waiting[2].revents != 0) parts_.perf_events.Receive();
  of_program[0] = waiting[0];
  of_program[1] = waiting[1];
  program_.Take(of_program);
}

int Recording::WaitMs(HostNs now) const {
  HostNs until = std::min(next_drain_, next_commit_);
  for (const HostNs change : {asked_.begin, asked_.end}) {
    if (change > now) until = std::min(until, change);
  }
  if (plan_.wall_clock && sampling_) until = std::min(until, wall_.NextTick());
  if (control_.waits()) until = std::min(until, now + kNsPerSecond / 1000);
  return static_cast<int>(std::clamp<HostNs>((until - now + 999'999) / 1'000'000, 0, 1000));
}

void Recording::FollowControl(HostNs now) {
  if (control_.Take(session_)) {
    SwitchSampling(now);
  }
  control_.Answer(processes_, now);
}

void Recording::Step(HostNs now) {
  FollowControl(now);
  SwitchSampling(now);
  const bool tick = plan_.wall_clock && sampling_ && now >= wall_.NextTick();
  if (now >= next_drain_ || tick) Drain(now);
  TellCommits();
  TakeCopy();
  if (tick) timers_.Measure(Pass::kDrain, [&] { wall_.Tick(processes_, now, rows_); });
  if (now >= next_commit_) {
    // Drain, so that the watcher has everything up to now.
    if (watcher_ != nullptr && last_drain_ < now) Drain(now);
    if (attachment_ != nullptr) attachment_->EnterNew(processes_);
    timers_.Measure(Pass::kDrain, [&] { processes_.Housekeeping(); });
    TellHostile();
    Commit(now);
    listener_.Tell(event::Progress{now, processes_.samples()});
    next_commit_ = std::max(next_commit_ + kCommitEvery, session_.Now() + kCommitEvery / 2);
  }
  if (watcher_ != nullptr) Watch(now);
}

void Recording::TellHostile() {
  for (const uint32_t user : processes_.TakeLeftOut()) problems_.Tell(problem::UserLeftOut{user});
  if (parts_.perf_events.TakeStopped()) problems_.Tell(problem::StoppedListening{});
}

void Recording::Drain(HostNs now) {
  const HostNs gap = now - last_drain_;
  longest_gap_ = std::max(longest_gap_, gap);
  last_drain_ = now;
  const size_t count = Poll();
  // Drain an idle program less and less often. Rings can hold seconds of samples, so it needs few
  // wakeups.
  const HostNs busy = watcher_ == nullptr ? kDrainBusy : kDrainWatched;
  drain_every_ = count > 0 ? busy : std::min(drain_every_ * 2, kDrainIdle);
  HostNs every = processes_.Hurries(now) ? kDrainAsking : drain_every_;
  const auto ended = static_cast<HostNs>(processes_.most_ended());
  if (ended > kMaxEnded) every = std::clamp(gap * kMaxEnded / ended, kDrainAsking, every);
  next_drain_ = now + gpu_.DrainEvery(processes_.Totals(), every);
  if (sampling_ && options_.timeline) thread_waits_.Look(processes_, now);
  gpu_.TellMessages();
  sparse_.Follow(processes_, now);
  if (plan_.use_perf != 0) parts_.perf_events.VaryPeriods(sparse_.perf_period_ns(), now);
}

size_t Recording::Poll() {
  return timers_.Measure(Pass::kDrain, [&] { return processes_.Poll(rows_); });
}

void Recording::NotePause(HostNs now) {
  const bool paused = asked_.Holds(now) && !control_.samples_wanted();
  if (paused == (paused_since_ != 0)) return;
  if (!paused) paused_ns_ += now - paused_since_;
  paused_since_ = paused ? std::max<HostNs>(now, 1) : 0;
}

void Recording::SwitchSampling(HostNs now) {
  NotePause(now);
  const bool wanted = asked_.Holds(now) && control_.samples_wanted();
  if (wanted != sampling_) {
    sampling_ = wanted;
    session_.SetSampling(wanted);
    parts_.perf_events.Pause(!wanted);
    // The window includes pauses: it begins with the first recorded period and ends with the last.
    window().end = wanted ? INT64_MAX : now;
    if (wanted) window().begin = std::min(window().begin, now);
    if (wanted && plan_.wall_clock) wall_.Restart(processes_, now);
  }
  if (now >= asked_.end && !duration_over_) EndWindow();
}

// Ends sampling when --duration has elapsed. After that the program runs as if it were not
// recorded.
void Recording::EndWindow() {
  duration_over_ = true;
  if (attachment_ == nullptr) {
    session_.EndSampling();
    parts_.perf_events.End();
  }
  if (window().begin <= window().end)
    listener_.Tell(event::WindowOver{window().end - window().begin});
}

void Recording::HandOver() {
  if (writer_ == nullptr) return HandToWatcher();
  if (options_.timeline && !rows_.empty()) {
    writer_->AppendSamples(rows_);
    profile_.sample_rows += static_cast<int64_t>(rows_.size());
  }
  rows_.clear();
  gpu_.HandOver(*writer_, session_.Now(),
                [this](const EventTable& rows) { triggers_.AddWork(rows); });
  const EventTable markers = parts_.markers.TakeRows();
  triggers_.AddMarkers(profile_, markers);
  if (options_.timeline && markers.rows() > 0) writer_->AppendEvents(markers);
  const EventTable waits = thread_waits_.TakeRows();
  if (waits.rows() > 0) writer_->AppendEvents(waits);
}

// Commits what was recorded. Does not wait for the file. Changes that the writer cannot take now
// become part of the next commit.
void Recording::Commit(HostNs now) {
  timers_.Measure(Pass::kCommit, [&] {
    HandOver();
    profile_.meta["duration_ns"] = std::to_string(now);
    Describe();
    if (writer_ == nullptr) return;
    TellCommits();
    FollowFlight(now);
    if (copy_.under_way() && !copy_.ready()) return;  // the copy has not opened the live file yet
    if (!writer_->CommitInBackground(profile_)) ++merged_commits_;
  });
}

void Recording::TellCommits() {
  if (writer_ == nullptr) return;
  const std::optional<Status> done = writer_->TakeOutcome();
  if (!done) return;
  begun_ = true;
  if (!*done && !write_failed_) {
    listener_.Tell(event::CannotWrite{done->error(), !program_.status()});
  }
  write_failed_ = !*done;
}

}  // namespace gprofx::recorder
