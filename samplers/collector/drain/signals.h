// Decides what the launcher does with a signal that it receives while the program runs. Pure.
//
// Signals from the terminal reach both the launcher and the program (same process group).
// Forwarding them would deliver them twice. A signal that is sent to the launcher alone is meant
// for the program.
#pragma once

#include <cstdint>

#include "core/model/ids.h"

namespace gprofx {

enum class SignalAction {
  kIgnore,   // do nothing: the program received the signal too
  kForward,  // send it to the program
  kStop,     // forward it unless the terminal sent it; then stop the launcher, as the shell expects
  kContinue,  // continue the program if it is still stopped
  kKill,      // SIGKILL to the program: this is the second Ctrl-C
};

class SignalRules {
 public:
  // Decides about `signal`. `code` is siginfo_t::si_code, which tells who sent it. `now` is ns of
  // any monotonic clock.
  SignalAction Decide(int signal, int code, HostNs now);

 private:
  static constexpr HostNs kTwiceWithin = 2'000'000'000;
  HostNs last_interrupt_ = -kTwiceWithin;
};

// Returns the signals that the launcher receives through signalfd, as a zero-terminated list.
const int* LauncherSignals();

// Converts a waitpid(2) status to the exit status that a shell reports: that of the program, or 128
// + signal.
int ExitStatus(int wait_status);

}  // namespace gprofx
