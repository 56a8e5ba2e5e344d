// What a profile says about its recording: meta entries and counters, and numbers as people read
// them. Pure but for the host's name and the clock of DescribeRun.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/record/recorder.h"
#include "samplers/collector/not_sampled.h"
#include "samplers/collector/process_table.h"

namespace gprofx {

struct RunFacts {
  const RecordOptions& options;
  const wire::SamplingPlan& plan;
  const Machine& machine;
  HostNs now = 0;
  HostNs program_end = 0;     // 0 = it runs
  std::optional<int> status;  // of the program, as a shell shows it
  const std::vector<std::string>& problems;
};

void DescribeRun(const RunFacts& run, Profile& profile);
void DescribeQuality(const ProcessTable& processes, int64_t samples, int64_t dropped_rows,
                     int64_t without_region, Profile& profile);
void DescribeNotSampled(const std::vector<Unsampled>& unsampled, Profile& profile);

// " 12 13 14", cut after eight.
std::string ListOf(const std::vector<int64_t>& pids);
// "1.5 s"
std::string Seconds(HostNs ns);

}  // namespace gprofx
