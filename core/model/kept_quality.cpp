#include "core/model/kept_quality.h"

#include "core/base/arithmetic.h"

namespace gprofx {

void KeepQuality(Profile& profile) {
  const MetricId wall = profile.FindMetric("wall"), time = wall ? wall : profile.FindMetric("cpu"),
                 samples = profile.FindMetric("samples");
  int64_t measured = 0, lost = 0, accounted = 0, count = 0;
  for (const Thread& thread : profile.threads) {
    measured = AddSaturated(measured, thread.cpu_ns);
    lost = AddSaturated(lost, thread.lost_ns);
  }
  for (const Value& value : profile.values) {
    if (time && value.metric == time) accounted = AddSaturated(accounted, value.self);
    if (samples && value.metric == samples) count = AddSaturated(count, value.self);
  }
  profile.quality.try_emplace("cpu_measured_ns", measured);
  profile.quality.try_emplace("lost_ns", lost);
  if (time) profile.quality.try_emplace("cpu_accounted_ns", accounted);
  if (samples) profile.quality.try_emplace("samples", count);
}

}  // namespace gprofx
