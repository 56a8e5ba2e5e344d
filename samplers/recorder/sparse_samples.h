// Fewer CPU samples where a program that uses a GPU is limited by its host: there each launch has its
// call path, and what samples take is taken from the program's speed.
//
// They may take a fifth of the budget (--overhead). What one takes is what the handler was measured
// to take, and the interrupt, which is not: 20 us for one of perf's timer, as found by programs
// that ran with and without it on virtual machines; next to nothing where the kernel's tick serves.
// Only powers of two, and no fewer than a fourth of the samples, which are 249 a second.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "samplers/collector/perf_events.h"
#include "samplers/collector/process_table.h"
#include "samplers/collector/session.h"

namespace gprofx {

struct SampleCost {
  uint64_t samples = 0, handler_ns = 0;  // so far
  double rate = 0;                       // a second of CPU time, if each stands for one period
  bool by_perf = false;
};
// Of a thread's CPU time, what samples take if each stands for one period; 0 where there were too
// few.
double TakenBySamples(const SampleCost& cost);
// For how many periods a sample is to stand, so that they take no more than `share`.
uint32_t PeriodsOfSample(double taken, double share);

class SparseSamples {
 public:
  // `budget`: thousandths of the program's time, as GpuRequest has it; 0 = samples stay as they are.
  // `rate`: of samples a second, as the plan gives. Session and events must outlive this.
  SparseSamples(uint32_t budget, double rate, Session& session, PerfEvents& events);

  // Now and then.
  void Follow(const ProcessTable& processes, HostNs now);
  // Of perf events, as they are to be now.
  uint64_t perf_period_ns() const;

  // Of a thread's CPU time, what samples took; 0 = not known.
  double taken() const {
    return known_ns_ <= 0 ? 0 : taken_ns_ / static_cast<double>(known_ns_);
  }
  // For how long samples stood for how many periods at most, if there was such a time.
  void Describe(std::map<std::string, int64_t>& quality) const;

 private:
  void Set(uint32_t periods);

  const double share_, rate_;
  Session& session_;
  PerfEvents& events_;
  uint32_t periods_ = 1, most_ = 1;
  double taken_ns_ = 0;
  HostNs known_ns_ = 0;
  HostNs looked_ = 0, sparse_ns_ = 0;
};

}  // namespace gprofx
