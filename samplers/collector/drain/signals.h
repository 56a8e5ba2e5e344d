// What the launcher does with a signal that it gets while the program runs. Pure.
//
// Signals of the terminal reach the launcher and the program alike (same process group): forwarding
// them would make two. A signal that somebody sent to the launcher alone is meant for the program.
#pragma once

#include <cstdint>

#include "core/model/ids.h"

namespace gprofx {

enum class SignalAction {
  kIgnore,    // the program has it too
  kForward,   // to the program
  kStop,      // forward unless from the terminal, then stop as the shell expects
  kContinue,  // to the program if it is still stopped
  kKill,      // the second Ctrl-C: SIGKILL to the program
};

class SignalRules {
 public:
  // `code` as in siginfo_t::si_code, `now` in ns of any monotonic clock.
  SignalAction Decide(int signal, int code, HostNs now);

 private:
  static constexpr HostNs kTwiceWithin = 2'000'000'000;
  HostNs last_interrupt_ = -kTwiceWithin;
};

// Signals that the launcher takes by signalfd; the zero-terminated list.
const int* LauncherSignals();

// Status of waitpid(2) as a shell shows it: the exit status, or 128 + signal.
int ExitStatus(int wait_status);

}  // namespace gprofx
