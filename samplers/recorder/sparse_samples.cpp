#include "samplers/recorder/sparse_samples.h"

#include <algorithm>

#include "samplers/collector/drain/interrupt_cost.h"
#include "samplers/wire/sparse_plan.h"

namespace gprofx::recorder {
namespace {

constexpr double kOfBudget = 0.2;
constexpr double kClearly = 0.7;  // if samples cost less than this fraction of `share_`, take more
constexpr double kSignalNs = 3'000;  // ns for the delivery of a signal and the return from it
// Assumed duration of an interrupt that cannot be measured.
constexpr int64_t kUsualInterruptNs = 20'000;
// Number of measurements of the interrupt; at least kMinSamples samples are between two.
constexpr uint32_t kMeasurements = 3;
constexpr uint64_t kFirstSamples = 1'000;  // samples at the start that are taken at the full rate
constexpr uint64_t kMinSamples = 500;  // samples that are needed for a measurement of their cost
// With so many samples, the shares of functions are known well enough.
constexpr uint64_t kManySamples = 10'000;

uint32_t PeriodsOfSample(double taken, double share, uint32_t most) {
  uint32_t periods = 1;
  while (periods < most && taken > share * periods) periods *= 2;
  return periods;
}

}  // namespace

double TakenBySamples(const SampleCost& cost) {
  if (cost.samples == 0) return 0;
  const double handler = static_cast<double>(cost.handler_ns) / static_cast<double>(cost.samples);
  return (handler + cost.outside_ns) * cost.rate / 1e9;
}

uint32_t NextPeriods(uint32_t periods, double taken, double share, uint32_t most) {
  const uint32_t needed = PeriodsOfSample(taken, share, most);
  if (needed >= periods) return needed;
  return std::min(periods, PeriodsOfSample(taken / kClearly, share, most));
}

SparseSamples::SparseSamples(uint32_t budget, double rate, Session& session, PerfEvents& events)
    : share_(kOfBudget * budget / 1000), rate_(rate), session_(session), events_(events) {}

void SparseSamples::MeasurePerf() {
  if (measurements_ == kMeasurements) return;
  ++measurements_;
  const std::optional<int64_t> measured = MeasureInterrupt();
  if (measured) perf_interrupt_ns_ = std::min(perf_interrupt_ns_.value_or(*measured), *measured);
}

// Returns the mean cost of a sample without its handler, in ns.
//
// A sample on the kernel's tick costs no interrupt of its own, because the tick interrupts the
// program anyway. If perf delivers every sample, the tick still sends as many signals. Threads
// without a perf event lower the rate towards that of ticks.
double SparseSamples::OutsideOfHandler(bool by_perf, double rate) const {
  if (!by_perf) return kSignalNs;
  const wire::SamplingPlan& plan = session_.facts().plan;
  const double of_perf =
      std::min(static_cast<double>(plan.nominal_period_ns) /
                   static_cast<double>(std::max<uint64_t>(plan.perf_period_ns, 1)),
               1.0);
  const double ticks = 1e9 / std::max<double>(plan.tick_ns, 1);
  const double with_perf =
      rate_ > ticks ? std::clamp((rate - ticks) / (rate_ - ticks), 0.0, 1.0) : 1;
  const auto interrupt = static_cast<double>(perf_interrupt_ns_.value_or(kUsualInterruptNs));
  const double signals = of_perf < 1 ? 1 : 1 + with_perf;
  return with_perf * interrupt * of_perf + signals * kSignalNs;
}

// Measures the cost of the samples since the last measurement; the first time, of all samples so
// far. Waits for kFirstSamples samples, because the first ones run with cold caches.
void SparseSamples::Measure(const ProcessTotals& totals) {
  const uint64_t samples = totals.agent.counters[wire::kSamples];
  const uint64_t handler_ns = totals.agent.counters[wire::kHandlerNs];
  if (samples < kFirstSamples || samples - samples_ < kMinSamples) return;
  const bool by_perf = totals.agent.counters[wire::kPerfOpened] != 0;
  if (by_perf) MeasurePerf();
  // The sampling rate that would result if each sample represented one period.
  const int64_t sampled_ns = totals.sampled_ns - sampled_ns_;
  const double rate = sampled_ns <= 0
                          ? rate_
                          : std::min(rate_, static_cast<double>(samples - samples_) * 1e9 /
                                                static_cast<double>(sampled_ns) * periods_);
  outside_ns_ = OutsideOfHandler(by_perf, rate);
  now_taken_ = TakenBySamples({samples - samples_, handler_ns - handler_ns_, rate, outside_ns_});
  samples_ = samples;
  handler_ns_ = handler_ns;
  sampled_ns_ = totals.sampled_ns;
}

void SparseSamples::Follow(const ProcessTable& processes, HostNs now) {
  const HostNs since = now - looked_;
  looked_ = now;
  if (periods_ > 1) sparse_ns_ += since;
  Measure(processes.Totals());
  if (now_taken_ <= 0) return;
  if (share_ <= 0) return;
  // Take all samples if the GPU is the bottleneck, because CPU work then costs the program nothing.
  const bool gpu = processes.UsesGpu();
  if (gpu && !processes.HostIsLimit()) return Set(1);
  const bool few = !gpu && samples_ < kManySamples;
  Set(NextPeriods(periods_, now_taken_, share_, few ? kMaxPeriodsOfFew : kMaxPeriods));
}

void SparseSamples::Set(uint32_t periods) {
  if (periods == periods_) return;
  periods_ = periods;
  most_ = std::max(most_, periods);
  session_.SetPeriods(periods);
  events_.SetPeriods(perf_period_ns());
}

uint64_t SparseSamples::perf_period_ns() const {
  return wire::SparsePlan(session_.facts().plan, periods_).perf_period_ns;
}

void SparseSamples::Describe(std::map<std::string, int64_t>& quality) const {
  if (perf_interrupt_ns_) quality["perf_interrupt_ns"] = *perf_interrupt_ns_;
  if (const auto samples = quality.find("samples"); samples != quality.end() && outside_ns_ > 0) {
    quality["sample_interrupts_ns"] =
        static_cast<int64_t>(outside_ns_ * static_cast<double>(samples->second));
  }
  const wire::SamplingPlan& plan = session_.facts().plan;
  const auto rested = quality.find("perf_rested");
  // A thread without a perf event gets at most one sample per tick.
  const bool some_rest = plan.spares_switches != 0 && rested != quality.end() && rested->second > 0;
  if (sparse_ns_ == 0 && !some_rest) return;
  const uint64_t period = std::max<uint64_t>(plan.nominal_period_ns, 1);
  const uint64_t of_tick = some_rest ? (plan.tick_ns + period - 1) / period : 1;
  quality["sparse_samples_ns"] = some_rest ? looked_ : sparse_ns_;
  quality["sparse_samples_periods"] = static_cast<int64_t>(most_ * std::max<uint64_t>(of_tick, 1));
}

}  // namespace gprofx::recorder
