#include "cli/report/culprits.h"

#include <algorithm>
#include <map>

#include "cli/report/names.h"
#include "cli/terminal/text.h"
#include "core/arithmetic.h"
#include "core/totals.h"

namespace gprofx {
namespace {

constexpr size_t kMostNamed = 3;
constexpr int kLongestName = 40;
constexpr int64_t kLeastShare = 20;  // those with less than a twentieth of the samples are not named

}  // namespace

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

std::string CulpritText(const std::vector<Culprit>& culprits) {
  int64_t all = 0;
  for (const Culprit& culprit : culprits) all = AddSaturated(all, culprit.samples);
  std::string text;
  for (size_t i = 0; i < culprits.size() && i < kMostNamed; ++i) {
    if (culprits[i].samples < all / kLeastShare) break;
    text += (i == 0 ? ": no callers in " : ", ") +
            FitEnd(Printable(culprits[i].module), kLongestName);
  }
  return text;
}

}  // namespace gprofx
