// Says what the weights of samples mean, from the unit that a file names. Pure.
#pragma once

#include <string_view>

#include "core/model/profile.h"

namespace gprofx::importers {

struct WeightUnit {
  const char* metric = "samples";
  const char* unit = "count";
  int power = 0;  // weights are multiplied by 10^power
};

// Returns the meaning of weights with a unit such as "seconds", "tracing-ms" or "bytes". With an
// unknown unit, samples are counted instead.
inline WeightUnit WeightUnitOf(std::string_view unit) {
  if (unit == "seconds") return {"time", "ns", 9};
  if (unit == "milliseconds" || unit == "tracing-ms") return {"time", "ns", 6};
  if (unit == "microseconds") return {"time", "ns", 3};
  if (unit == "nanoseconds") return {"time", "ns", 0};
  if (unit == "bytes") return {"memory", "bytes", 0};
  return {};
}

inline MetricId MetricOf(const WeightUnit& unit, Profile& profile) {
  return profile.AddMetric(unit.metric, unit.unit, MetricKind::kSampled);
}

// Sets the metric that views show by default.
inline void ChooseSampledClock(Profile& profile) {
  for (const char* metric : {"time", "samples", "memory"}) {
    if (!profile.FindMetric(metric)) continue;
    profile.meta["clock"] = metric;
    return;
  }
}

}  // namespace gprofx::importers
