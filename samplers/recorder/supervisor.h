// The program while it runs: its signals and its end.
//
// Stands apart from the recording, which may end early: whatever goes wrong there, signals are
// still passed on and the program is waited for. So nothing here throws. One thread.
#pragma once

#include <poll.h>

#include <optional>
#include <utility>

#include "samplers/collector/drain/signals.h"
#include "samplers/collector/processes/launch.h"

namespace gprofx::recorder {

class Supervisor {
 public:
  explicit Supervisor(const LauncherState& launcher) : launcher_(launcher) {}

  void Watch(Child child) { child_ = std::move(child); }
  // A process that is not our child: its status is not known, and our signals end the recording.
  void WatchOther(Child other) {
    child_ = std::move(other);
    other_ = true;
  }
  // As an interrupt of its user: SIGINT, or SIGTERM where it ignores that; SIGKILL with `now`. What
  // is not ours is left instead.
  void End(bool now) noexcept;
  // SIGUSR2 is for us from now on: how often it came.
  void TakeUser2() { takes_user2_ = true; }
  int user2() const { return user2_; }
  bool stop_asked() const { return stop_asked_; }
  bool watches() const { return child_.pid != 0; }
  pid_t pid() const { return child_.pid; }

  // As a shell shows it; none while the program runs. Of another's child: 0 once it ended.
  std::optional<int> status() const { return status_; }
  // Once it has ended: the CPU time that it and the children used that it waited for. Of our child
  // only.
  std::optional<int64_t> cpu_ns() const { return cpu_ns_; }
  bool hurry() const { return hurry_; }  // Ctrl-C after the program's end

  // What to poll, and what to do then: one entry each for signals and the end.
  void Poll(pollfd (&waiting)[2]) const;
  void Take(const pollfd (&polled)[2]) noexcept;

  // Does nothing else until the program has ended.
  void WaitForEnd() noexcept;

 private:
  void TakeSignals();
  void TakeEnd();
  void Act(SignalAction action, int signal);
  void ActForOther(int signal);

  const LauncherState& launcher_;
  Child child_;
  SignalRules rules_;
  std::optional<int> status_;
  std::optional<int64_t> cpu_ns_;
  bool takes_user2_ = false;
  int user2_ = 0;
  bool hurry_ = false, other_ = false, stop_asked_ = false;
};

}  // namespace gprofx::recorder
