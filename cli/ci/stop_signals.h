// Receives the signals that end a job. They are blocked, and the job asks for them when it is
// ready, so nothing is interrupted midway.
//
// Must be used only in the thread that creates it; one instance per process. Children must be
// started with `before()` as their signal mask.
#pragma once

#include <csignal>
#include <ctime>

namespace gprofx {

class StopSignals {
 public:
  StopSignals() {
    // The parent of this process may have ignored SIGCHLD. The kernel would then keep no exit
    // status of children.
    std::signal(SIGCHLD, SIG_DFL);
    sigemptyset(&wanted_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&wanted_, signal);
    with_child_ = wanted_;
    sigaddset(&with_child_, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &with_child_, &before_);
  }
  ~StopSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // Waits until a child changes state or `milliseconds` have passed. Returns true if the job must
  // stop.
  bool Wait(int milliseconds) { return Take(with_child_, milliseconds); }

  // Returns true if the job must stop. Once true, the result stays true.
  bool Stopped() { return stopped_ || Take(wanted_, 0); }

  // Returns true if another stop signal has arrived since the last call that took one.
  bool StoppedAgain() { return Take(wanted_, 0); }

  const sigset_t& before() const { return before_; }

 private:
  bool Take(const sigset_t& signals, int milliseconds) {
    const timespec time = {milliseconds / 1000, milliseconds % 1000 * 1'000'000L};
    const int signal = sigtimedwait(&signals, nullptr, &time);
    const bool stop = signal > 0 && signal != SIGCHLD;
    stopped_ = stopped_ || stop;
    return stop;
  }

  sigset_t wanted_, with_child_, before_;
  bool stopped_ = false;
};

}  // namespace gprofx
