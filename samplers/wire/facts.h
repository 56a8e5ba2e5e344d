// Checks the facts of a recording (SessionFacts) before a process relies on them. Used by both
// sides of the wire. Pure.
//
// Any process that shares the memory can write the facts. An agent therefore copies them once,
// refuses values that a collector never writes, and uses its copy from then on. A bad period must
// not flood a program with signals, and arithmetic with the facts must not overflow.
#pragma once

#include <algorithm>

#include "samplers/wire/layout.h"

namespace gprofx::wire {

constexpr uint64_t kShortestPeriodNs = 10'000, kLongestPeriodNs = 100'000'000'000;
constexpr uint32_t kMaxPeriodsOfSample = 64;  // max value of ControlPage::periods

constexpr bool IsPeriod(uint64_t ns) { return ns >= kShortestPeriodNs && ns <= kLongestPeriodNs; }

constexpr bool PlanIsUsable(const SamplingPlan& plan) {
  if (!IsPeriod(plan.nominal_period_ns)) return false;
  if (plan.wall_clock == 0 && !(IsPeriod(plan.posix_period_ns) && IsPeriod(plan.tick_ns))) {
    return false;
  }
  return plan.use_perf == 0 || IsPeriod(plan.perf_period_ns);
}

constexpr bool FactsAreUsable(const SessionFacts& facts) {
  return facts.magic == kMagic && facts.version == kVersion &&
         facts.control_bytes == kControlBytes && facts.region_bytes == kRegionBytes &&
         facts.collector_pid > 0 && facts.start_ns >= 0 && facts.gpu.mode <= kModePc &&
         PlanIsUsable(facts.plan);
}

inline uint32_t BoundedPeriods(uint32_t periods) {
  return std::clamp(periods, 1u, kMaxPeriodsOfSample);
}

}  // namespace gprofx::wire
