// Reduces CPU samples where they would take more than a fifth of the budget (--overhead).
//
// A sample costs its handler, which is measured, and its interrupt. The kernel's tick happens
// anyway and costs nothing extra. The interrupt of perf's timer is the larger part in virtual
// machines. It is measured three times while the program runs
// (samplers/collector/drain/interrupt_cost.h). The minimum is used, because a busy moment lengthens
// all gaps of one measurement.
//
// The first thousand samples, and so all samples of short programs, come at the full rate.
// Afterwards each sample stands for 1, 2, 4 or 8 periods. At first at most 2, because samples are
// the only source for the shares of functions. At most 8 once there are ten thousand samples, or if
// a GPU is used and the host is the bottleneck: then the call path of each launch is recorded as
// well. Threads that the kernel switches to often are sampled on its ticks alone, because each
// switch re-arms the timer of a perf event (samplers/agent/process/timers.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "samplers/collector/drain/perf_events.h"
#include "samplers/collector/processes/process_table.h"
#include "samplers/collector/session.h"

namespace gprofx::recorder {

struct SampleCost {
  uint64_t samples = 0, handler_ns = 0;  // in one stretch of the run
  double rate = 0;        // samples per second of CPU time, if each stands for one period
  double outside_ns = 0;  // per sample, excluding its handler: interrupt and signal
};
// Returns the fraction of a thread's CPU time that samples take if each stands for one period; 0 if
// there were none.
double TakenBySamples(const SampleCost& cost);

constexpr uint32_t kMaxPeriods = 8, kMaxPeriodsOfFew = 2;
// Returns how many periods a sample should stand for, at most `most`, so that samples take no more
// than `share`. `taken`: as TakenBySamples returns it. `periods` is the current number; it is kept
// if the cost is only a little below the limit.
uint32_t NextPeriods(uint32_t periods, double taken, double share, uint32_t most);

class SparseSamples {
 public:
  // `budget`: thousandths of the program's time, as in GpuRequest; 0 = leave samples as they are.
  // `rate`: samples per second of the plan. Session and events must outlive this object.
  SparseSamples(uint32_t budget, double rate, Session& session, PerfEvents& events);

  // Measures the cost of samples and changes the number of periods if needed. Call regularly.
  void Follow(const ProcessTable& processes, HostNs now);
  // The current period for perf events.
  uint64_t perf_period_ns() const;

  // Writes the interrupt cost and, if samples were reduced, for how long and to how many periods at
  // most.
  void Describe(std::map<std::string, int64_t>& quality) const;

 private:
  void Measure(const ProcessTotals& totals);
  void MeasurePerf();
  double OutsideOfHandler(bool by_perf, double rate) const;
  void Set(uint32_t periods);

  const double share_, rate_;
  Session& session_;
  PerfEvents& events_;
  uint32_t periods_ = 1, most_ = 1;
  uint64_t samples_ = 0, handler_ns_ = 0;  // at the latest measurement
  int64_t sampled_ns_ = 0;                 // at the latest measurement
  double now_taken_ = 0;                   // by the latest measurement; 0: unknown
  HostNs looked_ = 0, sparse_ns_ = 0;
  uint32_t measurements_ = 0;                 // of an interrupt
  std::optional<int64_t> perf_interrupt_ns_;  // minimum; unset: none was measured
  double outside_ns_ = 0;                     // per sample; 0: unknown
};

}  // namespace gprofx::recorder
