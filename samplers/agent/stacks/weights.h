// Signal path. What a sample weighs: the CPU time that it stands for. Pure arithmetic on one
// thread's clocks.
//
// Two sources sample a thread. The perf event fires every perf_period of CPU time but only in user
// mode: each of its samples stands for perf_period of user time, wherever it lands. The POSIX timer
// is looked at on the kernel's tick, and scheduling happens on ticks too, so where its signals land
// is not random among the user code of a contended thread; but it is the only one that sees kernel
// mode. So user time is counted by the perf event and kernel time is what the CPU clock says beyond
// it:
//   - a perf sample takes the nominal period (1 / rate asked), and hands what it stands for beyond
//   that to the next tick;
//   - a tick in user mode takes what perf samples left it, at most half a period, so that ticks
//   raise
//     the rate of samples but cannot bend the shares; what is left over goes back to perf samples.
//     Where the perf event alone makes the rate that was asked for (its period is the nominal one)
//     ticks take none of it: they would be half as many samples more;
//   - a tick on the way out of a system call takes the kernel time since the last such tick.
// Reading the CPU clock is a system call, half as dear as a walk; only ticks do it. Without perf a
// tick takes all the time since the one before. The sum of the weights stays within a few ticks of
// the CPU clock, and in a young thread never passes it; what it falls short of the clock at the
// thread's end, the collector gives to the latest samples (samplers/collector/residual.h).
#pragma once

#include <algorithm>
#include <cstdint>

#include "samplers/wire/layout.h"

namespace gprofx::agent {

class CpuLedger {
 public:
  void Start(int64_t cpu_ns) { *this = CpuLedger{cpu_ns}; }
  // From here on the perf event counts user time.
  void StartPerf() { with_perf_ = true; }
  // The perf event has ended, or is about to: the next tick takes all that has no weight.
  void StopPerf() { perf_ends_ = with_perf_; }

  // `cpu_ns` >= 0: the CPU clock, beyond which the sum of all weights is not to go.
  int64_t OnPerf(const wire::SamplingPlan& plan, int64_t cpu_ns = -1) {
    if (!CountsPerf(plan)) return 0;  // it was on its way when the perf event ended
    const auto nominal = static_cast<int64_t>(plan.nominal_period_ns);
    user_ += static_cast<int64_t>(plan.perf_period_ns);
    user_unpaid_ += static_cast<int64_t>(plan.perf_period_ns);
    int64_t weight = nominal;
    const int64_t excess = user_unpaid_ - 2 * nominal;  // more than ticks take
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
    // Kernel time that no tick finds at a system call: page faults, interrupts. User time since the
    // last perf sample looks the same.
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

  int64_t paid() const { return paid_; }  // with perf, since the start or TakeAll
  // All that no weight had until now: it is in none of those to come, either.
  int64_t TakeAll(int64_t cpu_ns) {
    const int64_t all = std::max<int64_t>(cpu_ns - start_ - paid_, 0);
    const bool with_perf = with_perf_ && !perf_ends_;
    Start(cpu_ns);
    with_perf_ = with_perf;
    return all;
  }

  // Weights of few distinct values halve the size of the timeline; what is cut off stays in the
  // ledger.
  static int64_t Rounded(int64_t ns) { return ns > 0 ? ns & ~int64_t{0xffff} : ns; }

  explicit constexpr CpuLedger(int64_t start_cpu_ns = 0) : start_(start_cpu_ns) {}

 private:
  bool CountsPerf(const wire::SamplingPlan& plan) const {
    return with_perf_ && !perf_ends_ && plan.use_perf != 0;
  }

  int64_t start_;     // CPU clock up to which everything is paid (without perf), or when perf began
  int64_t user_ = 0;  // counted by perf
  int64_t user_unpaid_ = 0;  // of that, not yet in a weight
  int64_t kernel_paid_ = 0;  // in weights
  int64_t paid_ = 0;         // all weights since start_, with perf
  bool with_perf_ = false, perf_ends_ = false;
};

}  // namespace gprofx::agent
