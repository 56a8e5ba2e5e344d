#include "core/views/culprits.h"

#include <algorithm>
#include <map>

#include "core/base/arithmetic.h"
#include "core/model/totals.h"
#include "core/views/naming/names.h"

namespace gprofx {
std::vector<Culprit> FindCulprits(const Profile& profile) {
  const MetricId metric = profile.FindMetric("samples");
  if (!metric) return {};
  const std::vector<int64_t> samples = InclusiveByNode(profile, SelfByNode(profile, metric));
  std::map<std::string, int64_t> by_module;
  for (size_t i = 0; i < profile.nodes.size(); ++i) {
    const FrameId id = profile.nodes[i].frame;
    if (!id || samples[i] <= 0) continue;
    const Frame& frame = profile.frame(id);
    if (frame.kind != FrameKind::kTruncated || !frame.module) continue;
    int64_t& sum = by_module[CulpritName(profile, frame.module)];
    sum = AddSaturated(sum, samples[i]);
  }
  std::vector<Culprit> culprits;
  for (const auto& [module, sum] : by_module) culprits.push_back({module, sum});
  std::stable_sort(culprits.begin(), culprits.end(),
                   [](const Culprit& a, const Culprit& b) { return a.samples > b.samples; });
  return culprits;
}

}  // namespace gprofx
