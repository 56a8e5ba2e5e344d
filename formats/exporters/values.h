// Sums the values of a profile by stack instead of by node, for formats without times.
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
  int64_t self = 0;  // not 0; negative values, which only damaged files have, count as 0
};

// Returns the values sorted by thread, stack and metric. Each combination occurs once; sums
// saturate. All rows of a metric add up to its total in the profile.
std::vector<StackValue> ValuesByStack(const Profile& profile, const Stacks& stacks);

// Returns the metric of the recording's clock, "cpu" or "wall". If there is none, returns the
// profile's first metric; 0 if the profile has no metric.
MetricId ClockMetric(const Profile& profile);

// Returns the metric job.metric or, if that is empty, the metric of the recording's clock. If there
// is no such metric, the error lists the metrics.
Result<MetricId> ChosenMetric(const ExportJob& job);

}  // namespace gprofx::exporters
