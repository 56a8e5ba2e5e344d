// From the rate that was asked for to timers: which sources sample a thread's CPU clock, and how
// often.
//
// POSIX thread CPU timers are looked at on the scheduler's tick: they cannot fire more often than
// CONFIG_HZ, but are nearly free and see time in the kernel too. Perf task-clock events sample user
// code at any rate. Where threads contend, ticks land where scheduling puts them: four threads on
// two cores had 22 % instead of 10 % in one function by ticks alone, 10.2 % by perf. So perf is
// used wherever it is allowed; at rates far above the tick, ticks help it and save interrupts.
// Weights are samplers/agent/stacks/weights.h. Pure functions; rates in Hz, periods in ns.
#pragma once

#include <cstdint>
#include <string>

#include "samplers/collector/processes/machine.h"
#include "samplers/wire/layout.h"

namespace gprofx {

constexpr uint32_t kDefaultRate = 997;
constexpr uint32_t kDefaultWallRate = 50;
constexpr uint32_t kMinRate = 1, kMaxRate = 20000;

struct PlanRequest {
  uint32_t rate = kDefaultRate;
  bool rate_is_asked = false;  // by the user: no budget changes it
  bool wall_clock = false;
  bool python = true;
  bool follow_children = true;
};

wire::SamplingPlan MakePlan(const PlanRequest& request, const Machine& machine);

enum class GpuChoice { kAuto, kTrace, kPc, kOff };

struct GpuRequest {
  GpuChoice choice = GpuChoice::kAuto;  // kAuto: as kPc, but it is no surprise when it cannot be
  uint32_t pc_period = 0;               // log2 of SM cycles, 0 = chosen by us
  uint32_t budget = 50;  // thousandths of the program's time; 0 = everything on, whatever it costs
};
constexpr uint32_t kMinPcPeriod = 5, kMaxPcPeriod = 31;  // what CUPTI takes

wire::GpuPlan MakeGpuPlan(const GpuRequest& request);

// Interrupts per second of CPU time that the plan can give on this machine.
uint32_t ExpectedRate(const wire::SamplingPlan& plan, const Machine& machine);

// "posix-cpu-timer", "posix-cpu-timer+perf-task-clock" or "wall-clock": the meta entry cpu_source.
std::string SourceName(const wire::SamplingPlan& plan);

}  // namespace gprofx
