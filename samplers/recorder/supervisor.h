// Supervises the program while it runs: handles signals and waits for its end.
//
// Does not depend on the recording, which may end early. If the recording fails, signals are still
// forwarded and the program is still waited for. Nothing here throws. One thread.
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
  // Supervises a process that is not our child. Its exit status stays unknown, and signals that
  // gprof-x receives end the recording.
  void WatchOther(Child other) {
    child_ = std::move(other);
    other_ = true;
  }
  // Ends the program as an interrupt by the user does: with SIGINT, or with SIGTERM if the program
  // ignores SIGINT. Uses SIGKILL if `now`. A process that is not our child gets no signal; the
  // recording detaches from it.
  void End(bool now) noexcept;
  // From now on, SIGUSR2 is not forwarded to the program. user2() counts how often it arrived.
  void TakeUser2() { takes_user2_ = true; }
  int user2() const { return user2_; }
  bool stop_asked() const { return stop_asked_; }
  bool watches() const { return child_.pid != 0; }
  pid_t pid() const { return child_.pid; }

  // Returns the program's exit status as a shell shows it. Unset while the program runs. 0 if a
  // process that is not our child has ended.
  std::optional<int> status() const { return status_; }
  // Returns the CPU time in ns of the program and of the children that it waited for. Unset while
  // the program runs, and if it is not our child.
  std::optional<int64_t> cpu_ns() const { return cpu_ns_; }
  bool hurry() const { return hurry_; }  // true after a Ctrl-C that came when the program had ended

  // Poll fills in two entries for poll(2): one for signals and one for the program's end. Take
  // handles what poll(2) has returned in them.
  void Poll(pollfd (&waiting)[2]) const;
  void Take(const pollfd (&polled)[2]) noexcept;

  // Blocks until the program has ended.
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
