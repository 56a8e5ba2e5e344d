// Makes the sampling plan for the requested rate: which sources sample a thread's CPU clock, and
// how often.
//
// The kernel checks POSIX thread CPU timers on the scheduler's tick. They cannot fire more often
// than CONFIG_HZ, but are nearly free and also cover time in the kernel. Perf task-clock events
// sample user code at any rate.
//
// When threads compete for a core, ticks land where scheduling puts them. With four threads on two
// cores, ticks alone gave one function 22 % instead of 10 %; perf gave 10.2 %. So perf is used
// wherever it is allowed. At rates far above the tick rate, ticks supplement it and save
// interrupts. Weights are explained in samplers/agent/stacks/weights.h. Pure functions; rates are
// in Hz, periods in ns.
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
  bool rate_is_asked = false;  // the user set the rate, and the budget must not change it
  bool wall_clock = false;
  bool python = true;
  bool follow_children = true;
};

wire::SamplingPlan MakePlan(const PlanRequest& request, const Machine& machine);

enum class GpuChoice { kAuto, kTrace, kPc, kOff };

struct GpuRequest {
  // kAuto works like kPc, but it is no error if PC sampling is unavailable.
  GpuChoice choice = GpuChoice::kAuto;
  uint32_t pc_period = 0;  // log2 of a number of SM cycles; 0 = automatic
  uint32_t budget = 50;    // thousandths of the program's time; 0 = no limit
};
constexpr uint32_t kMinPcPeriod = 5, kMaxPcPeriod = 31;  // the range that CUPTI accepts

wire::GpuPlan MakeGpuPlan(const GpuRequest& request);

// Returns the number of interrupts per second of CPU time that the plan achieves on this machine.
uint32_t ExpectedRate(const wire::SamplingPlan& plan, const Machine& machine);

// Returns the value of the meta entry cpu_source: "posix-cpu-timer",
// "posix-cpu-timer+perf-task-clock" or "wall-clock".
std::string SourceName(const wire::SamplingPlan& plan);

}  // namespace gprofx
