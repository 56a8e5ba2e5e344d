#include "formats/exporters/values.h"

#include <algorithm>
#include <tuple>

#include "core/base/arithmetic.h"
#include "core/views/naming/quoted.h"

namespace gprofx::exporters {
namespace {

auto KeyOf(const StackValue& value) { return std::tie(value.thread, value.stack, value.metric); }

}  // namespace

std::vector<StackValue> ValuesByStack(const Profile& profile, const Stacks& stacks) {
  std::vector<StackValue> rows;
  rows.reserve(profile.values.size());
  for (const Value& value : profile.values) {
    if (!value.metric || value.self <= 0) continue;
    rows.push_back({value.thread, stacks.OfNode(value.node.value), value.metric, value.self});
  }
  std::sort(rows.begin(), rows.end(),
            [](const StackValue& a, const StackValue& b) { return KeyOf(a) < KeyOf(b); });
  size_t kept = 0;
  for (const StackValue& row : rows) {
    if (kept > 0 && KeyOf(rows[kept - 1]) == KeyOf(row)) {
      rows[kept - 1].self = AddSaturated(rows[kept - 1].self, row.self);
    } else {
      rows[kept++] = row;
    }
  }
  rows.resize(kept);
  return rows;
}

MetricId ClockMetric(const Profile& profile) {
  for (const char* name : {"wall", "cpu"}) {
    if (const MetricId metric = profile.FindMetric(name)) return metric;
  }
  return MetricId{profile.metrics.empty() ? 0u : 1u};
}

Result<MetricId> ChosenMetric(const ExportJob& job) {
  if (job.metric.empty()) return ClockMetric(job.profile);
  if (const MetricId metric = job.profile.FindMetric(job.metric)) return metric;
  std::string names;
  for (const Metric& metric : job.profile.metrics) {
    names += (names.empty() ? "" : ", ") + metric.name;
  }
  return Error{ErrorId::kNotFound, "there is no metric " + Quoted(job.metric) + " in this profile",
               names.empty() ? "it has no metrics" : "its metrics are " + names};
}

}  // namespace gprofx::exporters
