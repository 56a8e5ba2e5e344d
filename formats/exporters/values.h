// The values of a profile by stack instead of by node: what formats without times consist of.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/model/profile.h"
#include "formats/exporters/exporter.h"
#include "formats/exporters/stacks.h"

namespace gprofx::exporters {

struct StackValue {
  ThreadId thread;
  uint32_t stack = 0;
  MetricId metric;
  int64_t self = 0;  // never 0; negative ones, which only a broken file has, count as 0
};

// Sorted by thread, stack and metric, each once; sums saturate. The sum over all rows of a metric
// is that of the profile.
std::vector<StackValue> ValuesByStack(const Profile& profile, const Stacks& stacks);

// What the recording's clock counts: "cpu" or "wall"; in a profile without either its first metric,
// 0 where there is none.
MetricId ClockMetric(const Profile& profile);

// job.metric, or the clock's. The error lists the metrics.
Result<MetricId> ChosenMetric(const ExportJob& job);

}  // namespace gprofx::exporters
