// Describes a recording in its profile: meta entries and counters. Pure, except that DescribeRun
// reads the host name and the clock.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "samplers/collector/processes/machine.h"
#include "samplers/collector/processes/not_sampled.h"
#include "samplers/collector/processes/process_clock.h"
#include "samplers/collector/processes/process_totals.h"
#include "samplers/recorder/problems.h"
#include "samplers/recorder/recorder.h"

namespace gprofx::recorder {

struct RunFacts {
  const RecordOptions& options;
  const wire::SamplingPlan& plan;
  const Machine& machine;
  HostNs now = 0;
  HostNs program_end = 0;     // 0 = the program still runs
  std::optional<int> status;  // exit status of the program, as a shell shows it
  const Problems& problems;
};

struct QualityFacts {
  const ProcessTotals& totals;
  const ProcessClocks& clocks;
  int64_t samples = 0;
  int64_t missed_notes = 0;
  int64_t without_region = 0;  // number of processes that got no region
};

void DescribeRun(const RunFacts& run, Profile& profile);
void DescribeQuality(const QualityFacts& facts, Profile& profile);
void DescribeNotSampled(const std::vector<Unsampled>& unsampled, Profile& profile);

}  // namespace gprofx::recorder
