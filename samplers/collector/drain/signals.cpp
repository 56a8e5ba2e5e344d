#include "samplers/collector/drain/signals.h"

#include <signal.h>
#include <sys/wait.h>

namespace gprofx {

const int* LauncherSignals() {
  static constexpr int kSignals[] = {SIGINT,  SIGQUIT, SIGTERM,  SIGHUP,  SIGUSR1,
                                     SIGUSR2, SIGCONT, SIGWINCH, SIGTSTP, 0};
  return kSignals;
}

SignalAction SignalRules::Decide(int signal, int code, HostNs now) {
  const bool from_terminal = code == SI_KERNEL;
  switch (signal) {
    case SIGTSTP:
      return SignalAction::kStop;
    case SIGCONT:
      return SignalAction::kContinue;
    case SIGINT: {
      if (!from_terminal) return SignalAction::kForward;
      const bool second = now - last_interrupt_ < kTwiceWithin;
      last_interrupt_ = now;
      return second ? SignalAction::kKill : SignalAction::kIgnore;
    }
    default:
      return from_terminal ? SignalAction::kIgnore : SignalAction::kForward;
  }
}

int ExitStatus(int wait_status) {
  if (WIFSIGNALED(wait_status)) return 128 + WTERMSIG(wait_status);
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 255;
}

}  // namespace gprofx
