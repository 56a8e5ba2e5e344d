// Fewer CPU samples where they would take more than a fifth of the budget (--overhead).
//
// What one takes is what the handler was measured to take and what the interrupt takes. That of the
// kernel's tick comes anyway; that of perf's timer, in virtual machines the larger part, is
// measured beside the program (samplers/collector/drain/interrupt_cost.h), three times, and the
// least counts: a busy moment makes all gaps of one measurement long. The first thousand, and so
// those of short programs, come as fast as they can. Only powers of two: no fewer than a half of
// the samples, because shares of functions are known by nothing else; an eighth once there are ten
// thousand, or where a GPU is used and its host is the limit: there each launch has its call path
// as well. Threads to which the kernel switches often have samples on its ticks alone, as each
// switch sets the timer of a perf event anew (samplers/agent/process/timers.h).
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
  uint64_t samples = 0, handler_ns = 0;  // of a stretch of the run
  double rate = 0;                       // a second of CPU time, if each stands for one period
  double outside_ns = 0;                 // of a sample, beside its handler: interrupt and signal
};
// Of a thread's CPU time, what samples take if each stands for one period; 0 where there were none.
double TakenBySamples(const SampleCost& cost);

constexpr uint32_t kMaxPeriods = 8, kMaxPeriodsOfFew = 2;
// For how many periods a sample is to stand, `most` at most, so that they take no more than
// `share`; now it is `periods`, which a little less is no reason to change.
uint32_t NextPeriods(uint32_t periods, double taken, double share, uint32_t most);

class SparseSamples {
 public:
  // `budget`: thousandths of the program's time, as GpuRequest has it; 0 = samples stay as they
  // are. `rate`: of samples a second, as the plan gives. Session and events must outlive this.
  SparseSamples(uint32_t budget, double rate, Session& session, PerfEvents& events);

  // Now and then.
  void Follow(const ProcessTable& processes, HostNs now);
  // Of perf events, as they are to be now.
  uint64_t perf_period_ns() const;

  // What interrupts took; for how long samples stood for how many periods at most, if they did.
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
  int64_t sampled_ns_ = 0;                 // then
  double now_taken_ = 0;                   // by it; 0: not known
  HostNs looked_ = 0, sparse_ns_ = 0;
  uint32_t measurements_ = 0;                 // of an interrupt
  std::optional<int64_t> perf_interrupt_ns_;  // the least of them; nothing: there was none
  double outside_ns_ = 0;                     // of a sample; 0: not known
};

}  // namespace gprofx::recorder
