// Takes fewer CPU samples where they would cost more than a fifth of the budget (--overhead).
//
// A sample costs its handler, which is measured, and its interrupt. The kernel's tick happens
// anyway and costs nothing extra. The interrupt of perf's timer is the larger part of the cost in
// virtual machines. It is measured three times while the program runs
// (samplers/collector/drain/interrupt_cost.h). The minimum of the three is used, because a busy
// moment lengthens all gaps of a measurement.
//
// The first thousand samples, and so all samples of short programs, come at the full rate.
// Afterwards each sample represents 1, 2, 4 or 8 periods. At first the maximum is 2, because
// samples are the only source for the shares of functions. It is 8 when there are ten thousand
// samples, or if a GPU is used and the host is the bottleneck: the call path of each launch is then
// recorded as well. Threads that the kernel switches to often are sampled on its ticks alone,
// because each switch sets the timer of a perf event again (samplers/agent/process/timers.h).
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
  // Number of samples in one part of the run, and the time of their handlers.
  uint64_t samples = 0, handler_ns = 0;
  double rate = 0;        // samples per second of CPU time if each represents one period
  double outside_ns = 0;  // ns per sample without its handler: interrupt and signal
};
// Returns the fraction of a thread's CPU time that samples take if each represents one period.
// Returns 0 if there were no samples.
double TakenBySamples(const SampleCost& cost);

constexpr uint32_t kMaxPeriods = 8, kMaxPeriodsOfFew = 2;
// Returns how many periods a sample should represent, at most `most`. The result is just large
// enough that samples take no more than the fraction `share` of the time. `taken` is a result of
// TakenBySamples. `periods` is the present number; it is kept if the cost is only a little below
// the limit.
uint32_t NextPeriods(uint32_t periods, double taken, double share, uint32_t most);

class SparseSamples {
 public:
  // `budget` is in thousandths of the program's time, as in GpuRequest; 0 = all samples are always
  // taken. `rate` is the number of samples per second in the plan. The session and the events must
  // outlive this object.
  SparseSamples(uint32_t budget, double rate, Session& session, PerfEvents& events);

  // Measures the cost of samples and changes the number of periods if needed. Must be called
  // regularly.
  void Follow(const ProcessTable& processes, HostNs now);
  // Returns the present sampling period of perf events in ns.
  uint64_t perf_period_ns() const;

  // Writes the cost of an interrupt to `quality`. If fewer samples were taken for a time, also
  // writes for how long, and how many periods a sample represented at most.
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
  // Fraction of the time that samples took at the latest measurement; 0 = unknown.
  double now_taken_ = 0;
  HostNs looked_ = 0, sparse_ns_ = 0;
  uint32_t measurements_ = 0;                 // number of measurements of an interrupt
  std::optional<int64_t> perf_interrupt_ns_;  // shortest duration; unset: none was measured
  double outside_ns_ = 0;                     // ns per sample; 0 = unknown
};

}  // namespace gprofx::recorder
