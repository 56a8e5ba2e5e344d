#include "samplers/recorder/sparse_samples.h"

#include <algorithm>

#include "samplers/collector/interrupt_cost.h"
#include "samplers/wire/sparse_plan.h"

namespace gprofx {
namespace {

constexpr double kOfBudget = 0.2;
constexpr double kSignalNs = 3'000;            // to the handler and back
constexpr int64_t kUsualInterruptNs = 20'000;  // where it cannot be measured
constexpr uint64_t kFirstSamples = 500;        // come as fast as they can

}  // namespace

double OutsideOfHandler(const SampleCost& cost) { return kSignalNs + cost.interrupt_ns; }

double TakenBySamples(const SampleCost& cost) {
  if (cost.samples == 0) return 0;
  const double handler = static_cast<double>(cost.handler_ns) / static_cast<double>(cost.samples);
  return (handler + OutsideOfHandler(cost)) * cost.rate / 1e9;
}

uint32_t PeriodsOfSample(double taken, double share, uint32_t most) {
  uint32_t periods = 1;
  while (periods < most && taken > share * periods) periods *= 2;
  return periods;
}

SparseSamples::SparseSamples(uint32_t budget, double rate, Session& session, PerfEvents& events)
    : share_(kOfBudget * budget / 1000), rate_(rate), session_(session), events_(events) {}

// In the mean: the tick, of which the other samples are, interrupts the program without us, too.
double SparseSamples::InterruptOfSample(bool by_perf) {
  if (!by_perf) return 0;
  if (perf_interrupt_ns_ == 0) perf_interrupt_ns_ = MeasureInterrupt().value_or(kUsualInterruptNs);
  const wire::SamplingPlan& plan = session_.control().plan;
  const double of_perf = static_cast<double>(plan.nominal_period_ns) /
                         static_cast<double>(std::max<uint64_t>(plan.perf_period_ns, 1));
  return static_cast<double>(perf_interrupt_ns_) * std::min(of_perf, 1.0);
}

void SparseSamples::Follow(const ProcessTable& processes, HostNs now) {
  const AgentCounters agent = processes.Totals().agent;
  SampleCost cost{agent.counters[wire::kSamples], agent.counters[wire::kHandlerNs], rate_};
  if (cost.samples < kFirstSamples) return;
  const HostNs since = now - looked_;
  looked_ = now;
  if (periods_ > 1) sparse_ns_ += since;
  cost.interrupt_ns = InterruptOfSample(agent.counters[wire::kPerfOpened] != 0);
  outside_ns_ = OutsideOfHandler(cost);
  const double taken = TakenBySamples(cost);
  taken_ns_ += taken / periods_ * static_cast<double>(since);
  known_ns_ += since;
  if (share_ <= 0) return;
  const bool gpu = processes.UsesGpu();
  if (gpu && !processes.HostIsLimit()) return Set(1);
  // What it was found to need it keeps: one look more or less is no reason to change the rate.
  const uint32_t most = gpu ? kMostPeriodsWithGpu : kMostPeriods;
  Set(std::max(periods_, PeriodsOfSample(taken, share_, most)));
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
  if (perf_interrupt_ns_ > 0) quality["perf_interrupt_ns"] = perf_interrupt_ns_;
  if (const auto samples = quality.find("samples"); samples != quality.end() && outside_ns_ > 0) {
    quality["sample_interrupts_ns"] =
        static_cast<int64_t>(outside_ns_ * static_cast<double>(samples->second));
  }
  if (sparse_ns_ == 0) return;
  quality["sparse_samples_ns"] = sparse_ns_;
  quality["sparse_samples_periods"] = most_;
}

}  // namespace gprofx
