#include "samplers/recorder/sparse_samples.h"

#include <algorithm>

#include "samplers/wire/sparse_plan.h"

namespace gprofx {
namespace {

constexpr double kOfBudget = 0.2;
constexpr double kPerfInterruptNs = 20'000, kTickNs = 3'000;
constexpr uint32_t kMostPeriods = 4;
constexpr uint64_t kLeastSamples = 100;

}  // namespace

double TakenBySamples(const SampleCost& cost) {
  if (cost.samples < kLeastSamples) return 0;
  const double handler = static_cast<double>(cost.handler_ns) / static_cast<double>(cost.samples);
  return (handler + (cost.by_perf ? kPerfInterruptNs : kTickNs)) * cost.rate / 1e9;
}

uint32_t PeriodsOfSample(double taken, double share) {
  uint32_t periods = 1;
  while (periods < kMostPeriods && taken > share * periods) periods *= 2;
  return periods;
}

SparseSamples::SparseSamples(uint32_t budget, double rate, Session& session, PerfEvents& events)
    : share_(kOfBudget * budget / 1000), rate_(rate), session_(session), events_(events) {}

void SparseSamples::Follow(const ProcessTable& processes, HostNs now) {
  const HostNs since = now - looked_;
  looked_ = now;
  if (periods_ > 1) sparse_ns_ += since;
  const AgentCounters agent = processes.Totals().agent;
  const bool by_perf = agent.counters[wire::kPerfOpened] != 0;
  const SampleCost cost{agent.counters[wire::kSamples], agent.counters[wire::kHandlerNs], rate_,
                        by_perf};
  const double taken = TakenBySamples(cost);
  if (taken > 0) {
    taken_ns_ += taken / periods_ * static_cast<double>(since);
    known_ns_ += since;
  }
  if (share_ <= 0) return;
  if (!processes.HostIsLimit()) return Set(1);
  // What it was found to need it keeps: one look more or less is no reason to change the rate.
  Set(std::max(periods_, PeriodsOfSample(taken, share_)));
}

void SparseSamples::Set(uint32_t periods) {
  if (periods == periods_) return;
  periods_ = periods;
  most_ = std::max(most_, periods);
  session_.control().periods.store(periods, std::memory_order_relaxed);
  events_.SetPeriods(perf_period_ns());
}

uint64_t SparseSamples::perf_period_ns() const {
  return wire::SparsePlan(session_.control().plan, periods_).perf_period_ns;
}

void SparseSamples::Describe(std::map<std::string, int64_t>& quality) const {
  if (sparse_ns_ == 0) return;
  quality["sparse_samples_ns"] = sparse_ns_;
  quality["sparse_samples_periods"] = most_;
}

}  // namespace gprofx
