// Decides what the launcher does with a signal that it receives while the program runs. Pure.
//
// Signals from the terminal reach both launcher and program (same process group), so forwarding
// them would deliver them twice. A signal sent to the launcher alone is meant for the program.
#pragma once

#include <cstdint>

#include "core/model/ids.h"

namespace gprofx {

enum class SignalAction {
  kIgnore,    // the program received it too
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

// Signals that the launcher receives through signalfd; a zero-terminated list.
const int* LauncherSignals();

// Converts a waitpid(2) status as a shell does: the exit status, or 128 + signal.
int ExitStatus(int wait_status);

}  // namespace gprofx
