#include "samplers/recorder/supervisor.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <exception>

#include "core/base/cpu_time.h"
#include "core/base/file_io.h"
#include "samplers/collector/processes/procfs.h"
#include "samplers/collector/session.h"

namespace gprofx::recorder {
namespace {

bool IsStopped(pid_t pid) {
  try {
    return ProcessState(pid) == 'T';
  } catch (const std::exception&) {
    return true;  // out of memory; a needless SIGCONT does less harm than a missing one
  }
}

// True if the process ignores SIGINT. Shell scripts make their background jobs do that.
bool IgnoresInterrupts(pid_t pid) {
  try {
    const auto status = ReadSmallFile(ThreadPath(pid, pid, "status"), 1 << 16);
    return status && (MaskInStatus(*status, "SigIgn") & uint64_t{1} << (SIGINT - 1)) != 0;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

void Supervisor::Poll(pollfd (&waiting)[2]) const {
  waiting[0] = {launcher_.signal_fd(), POLLIN, 0};
  waiting[1] = {status_ ? -1 : child_.pidfd.get(), POLLIN, 0};
}

void Supervisor::Take(const pollfd (&polled)[2]) noexcept {
  if (polled[0].revents != 0) TakeSignals();
  if (!status_ && (polled[1].revents != 0 || !child_.pidfd)) TakeEnd();
}

void Supervisor::WaitForEnd() noexcept {
  constexpr int kLook = 200;  // ms; without a pidfd, the program's end is detected by polling
  while (!status_) {
    pollfd waiting[2];
    Poll(waiting);
    poll(waiting, 2, child_.pidfd ? -1 : kLook);
    Take(waiting);
  }
}

void Supervisor::TakeSignals() {
  signalfd_siginfo info;
  while (read(launcher_.signal_fd(), &info, sizeof info) == sizeof info) {
    const int signal = static_cast<int>(info.ssi_signo);
    if (signal == SIGUSR2 && takes_user2_) {
      ++user2_;
      continue;
    }
    Act(rules_.Decide(signal, info.ssi_code, MonotonicNs()), signal);
  }
}

void Supervisor::End(bool now) noexcept {
  if (status_ || !watches()) return;
  if (other_) {
    stop_asked_ = true;
  } else {
    kill(child_.pid, now ? SIGKILL : IgnoresInterrupts(child_.pid) ? SIGTERM : SIGINT);
  }
}

void Supervisor::ActForOther(int signal) {
  switch (signal) {
    case SIGINT:
    case SIGTERM:
    case SIGQUIT:
    case SIGHUP:
      hurry_ = hurry_ || stop_asked_;
      stop_asked_ = true;
      break;
    case SIGTSTP:
      raise(SIGSTOP);
      break;
    default:
      break;
  }
}

void Supervisor::Act(SignalAction action, int signal) {
  if (other_) return ActForOther(signal);
  if (status_) {  // the program has ended, so an interrupt ends our waiting
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
      if (IsStopped(child_.pid)) kill(child_.pid, SIGCONT);
      break;
    case SignalAction::kStop:
      kill(child_.pid, SIGTSTP);  // a second SIGTSTP has no effect on a stopped program
      raise(SIGSTOP);
      break;
  }
}

void Supervisor::TakeEnd() {
  if (other_) {
    const char state = child_.pidfd ? 'Z' : ProcessState(child_.pid);
    if (state == 'Z' || state == 0) status_ = 0;
    return;
  }
  int wait_status = 0;
  rusage used{};
  pid_t got;
  do {
    got = wait4(child_.pid, &wait_status, WNOHANG, &used);
  } while (got < 0 && errno == EINTR);
  if (got == 0) return;
  if (got > 0) cpu_ns_ = CpuNs(used);
  status_ = got < 0 ? 255 : ExitStatus(wait_status);
}

}  // namespace gprofx::recorder
