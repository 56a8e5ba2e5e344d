#include "core/steps/start_up.h"

#include <algorithm>

#include "core/base/arithmetic.h"
#include "core/model/inherit.h"
#include "core/model/python_files.h"

namespace gprofx {
namespace {

// Minimum share of imports in the Python time of a start-up, percent.
constexpr int64_t kOfImports = 80;
constexpr HostNs kMinStartUp = 10 * kNsPerMillisecond;

}  // namespace

StartUp::StartUp(const Profile& profile, HostNs end) : end_(Bounded(end)) {
  runs_ = InheritDown<Runs>(profile.nodes, [&](Runs above, FrameId id) {
    if (above == Runs::kImport || !id) return above;
    const Frame& frame = profile.frame(id);
    if (RunsImport(profile, frame)) return Runs::kImport;
    return frame.kind == FrameKind::kPython ? Runs::kPython : above;
  });
  has_imports_ = std::find(runs_.begin(), runs_.end(), Runs::kImport) != runs_.end();
}

void StartUp::Add(std::span<const SampleRow> samples) {
  for (const SampleRow& sample : samples) {
    if (!sample.node || sample.time < 0 || sample.time >= end_) continue;
    const Runs runs = runs_[sample.node.index()];
    if (runs == Runs::kOther) continue;
    const auto at = static_cast<size_t>(static_cast<__int128>(sample.time) * kSlices / end_);
    slices_[at].all += sample.weight;
    if (runs == Runs::kImport) slices_[at].imports += sample.weight;
  }
}

std::vector<Phase> StartUp::Phases() const {
  int64_t imports = 0, all = 0, all_in_start_up = 0;
  size_t slices = 0;
  for (size_t i = 0; i < kSlices; ++i) {
    imports = AddSaturated(imports, slices_[i].imports);
    all = AddSaturated(all, slices_[i].all);
    if (slices_[i].imports == 0 || imports / kOfImports < all / 100) continue;
    slices = i + 1;
    all_in_start_up = all;
  }
  if (all_in_start_up == all) slices = slices > 0 ? kSlices : 0;  // no work follows the imports
  const auto until = static_cast<HostNs>(static_cast<__int128>(end_) * slices / kSlices);
  if (until < std::max(kMinStartUp, end_ / 100)) return {};
  if (slices == kSlices) return {{PhaseKind::kStartUp, {0, end_}}};
  return {{PhaseKind::kStartUp, {0, until}}, {PhaseKind::kWork, {until, end_}}};
}

}  // namespace gprofx
