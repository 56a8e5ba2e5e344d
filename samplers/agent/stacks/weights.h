// Runs in signal handlers. Computes the weight of a sample: the CPU time that it represents. Pure
// arithmetic on one thread's clocks.
//
// Two sources sample a thread: a perf event and a POSIX timer. The perf event fires every
// perf_period of CPU time, but only in user mode. Each of its samples represents perf_period of
// user time, wherever it occurs. The kernel checks the timer on its tick. Scheduling happens on
// ticks too, so the timer's signals are not randomly distributed over the user code of a thread
// that competes for a core; but only the timer covers kernel mode. The perf event therefore counts
// user time, and kernel time is the rest of the CPU clock:
//   - A perf sample gets the nominal period (1 / requested rate). The rest of the time that it
//     represents goes to the next tick.
//   - A tick in user mode gets the time that perf samples left, at most half a period. Ticks thus
//     raise the sample rate but cannot distort the shares. What is left goes back to perf samples.
//     If the perf event alone reaches the requested rate (its period is the nominal one), such
//     ticks get nothing: they would add half as many samples again.
//   - A tick on the return from a system call gets the kernel time since the last such tick.
//
// Reading the CPU clock is a system call, which costs half as much as a walk; only ticks do it.
// Without a perf event, a tick gets all time since the previous one. The sum of the weights stays
// within a few ticks of the CPU clock and, in a young thread, never exceeds it. At the thread's end
// the collector adds the missing time to the latest samples (samplers/collector/residual.h).
#pragma once

#include <algorithm>
#include <cstdint>

#include "samplers/wire/layout.h"

namespace gprofx::agent {

class CpuLedger {
 public:
  void Start(int64_t cpu_ns) { *this = CpuLedger{cpu_ns}; }
  // Called when the perf event begins, which counts user time from here on.
  void StartPerf() { with_perf_ = true; }
  // Called when the perf event has ended or is about to. The next tick then gets all time that is
  // in no weight yet.
  void StopPerf() { perf_ends_ = with_perf_; }

  // Returns the weight of a perf sample in ns. `cpu_ns` is the CPU clock, which the sum of all
  // weights must not exceed; negative = not read.
  int64_t OnPerf(const wire::SamplingPlan& plan, int64_t cpu_ns = -1) {
    if (!CountsPerf(plan)) return 0;  // the perf event has ended, and this signal was still pending
    const auto nominal = static_cast<int64_t>(plan.nominal_period_ns);
    user_ += static_cast<int64_t>(plan.perf_period_ns);
    user_unpaid_ += static_cast<int64_t>(plan.perf_period_ns);
    int64_t weight = nominal;
    const int64_t excess = user_unpaid_ - 2 * nominal;  // time that ticks will not use
    if (excess > 0) weight += Rounded(excess / 4);
    if (cpu_ns >= 0) weight = std::clamp<int64_t>(cpu_ns - start_ - paid_, 0, weight);
    user_unpaid_ -= weight;
    paid_ += weight;
    return weight;
  }

  int64_t OnTick(const wire::SamplingPlan& plan, int64_t cpu_ns, bool leaves_kernel) {
    if (with_perf_ && !CountsPerf(plan)) {
      const int64_t rest = std::max<int64_t>(cpu_ns - start_ - paid_, 0);
      Start(cpu_ns);
      return rest;
    }
    if (!with_perf_) {
      const int64_t weight = cpu_ns - start_;
      start_ = cpu_ns;
      return weight;
    }
    const auto nominal = static_cast<int64_t>(plan.nominal_period_ns);
    const int64_t kernel = Rounded(cpu_ns - start_ - user_ - kernel_paid_);
    // Ticks never find some kernel time at a system call: that of page faults and interrupts. User
    // time since the last perf sample looks the same. The time therefore counts as overdue only if
    // it is long.
    const bool overdue =
        kernel > 4 * std::max<int64_t>(plan.tick_ns, static_cast<int64_t>(plan.perf_period_ns));
    const int64_t room = std::max<int64_t>(cpu_ns - start_ - paid_, 0);
    int64_t weight = 0;
    if (!leaves_kernel && plan.perf_period_ns > plan.nominal_period_ns) {
      weight = std::min(room, Rounded(std::clamp<int64_t>(user_unpaid_, 0, nominal / 2)));
      user_unpaid_ -= weight;
    }
    if ((leaves_kernel || overdue) && kernel > 0) {
      const int64_t paid = std::min(room - weight, kernel);
      weight += paid;
      kernel_paid_ += paid;
    }
    paid_ += weight;
    return weight;
  }

  // Sum of all weights since Start or TakeAll. Kept only with a perf event.
  int64_t paid() const { return paid_; }
  // Returns all CPU time up to `cpu_ns` that is in no weight yet. Later weights do not include it.
  int64_t TakeAll(int64_t cpu_ns) {
    const int64_t all = std::max<int64_t>(cpu_ns - start_ - paid_, 0);
    const bool with_perf = with_perf_ && !perf_ends_;
    Start(cpu_ns);
    with_perf_ = with_perf;
    return all;
  }

  // Rounds a weight down to a multiple of 65536 ns. Few distinct values halve the size of the
  // timeline. The remainder stays in the ledger.
  static int64_t Rounded(int64_t ns) { return ns > 0 ? ns & ~int64_t{0xffff} : ns; }

  explicit constexpr CpuLedger(int64_t start_cpu_ns = 0) : start_(start_cpu_ns) {}

 private:
  bool CountsPerf(const wire::SamplingPlan& plan) const {
    return with_perf_ && !perf_ends_ && plan.use_perf != 0;
  }

  // Without a perf event: CPU clock up to which all time is in weights. With one: CPU clock when
  // this ledger began.
  int64_t start_;
  int64_t user_ = 0;         // user time that the perf event counted
  int64_t user_unpaid_ = 0;  // part of user_ that is in no weight yet
  int64_t kernel_paid_ = 0;  // kernel time that is in weights
  int64_t paid_ = 0;         // with a perf event: sum of all weights since start_
  bool with_perf_ = false, perf_ends_ = false;
};

}  // namespace gprofx::agent
