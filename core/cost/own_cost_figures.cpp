#include "core/cost/own_cost_figures.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/cost/own_cost.h"
#include "core/slice/choose_part.h"

namespace gprofx {
namespace {

// The program mostly waits if each of its threads works for less than this share of the time.
constexpr double kMaxlyWaits = 0.5;
constexpr double kMaxRatio = 100;  // a higher ratio comes from a broken file

std::optional<int64_t> Counter(const Profile& profile, const char* name) {
  const auto found = profile.quality.find(name);
  if (found == profile.quality.end()) return std::nullopt;
  return found->second;
}

bool ByWallClock(const Profile& profile) {
  const auto clock = profile.meta.find("clock");
  return clock != profile.meta.end() && clock->second == "wall";
}

// True if the cost may not have delayed the program, because the GPU is the bottleneck or the
// program mostly waits.
bool IsHidden(const Profile& profile, const CostParts& parts) {
  if (parts.launching_ns > 0 && Counter(profile, "gpu_host_is_limit").value_or(0) == 0) return true;
  double busiest = parts.launching_ns;
  for (const Thread& thread : profile.threads)
    busiest = std::max(busiest, static_cast<double>(thread.cpu_ns));
  return busiest < kMaxlyWaits * static_cast<double>(EndOfRecording(profile));
}

// True if the program seems to launch CUDA graphs: it has many more records than launches. The cost
// is then unknown, because records of graph work cost GPU time, which is not measured.
bool HasGraphs(const Profile& profile, const CostParts& parts) {
  constexpr double kOperations = 4;
  const auto records = static_cast<double>(Counter(profile, "gpu_records").value_or(0));
  return records > kOperations * std::max(parts.recorded.count, 1.0);
}

}  // namespace

OwnCostFigures OwnCostFiguresOf(const Profile& profile) {
  OwnCostFigures figures;
  // In wall clock mode, threads that use no CPU are sampled, too. The cost is then unknown.
  const CostParts parts = CostPartsOf(profile.quality);
  if (ByWallClock(profile) || HasGraphs(profile, parts)) return figures;
  const bool launches = Counter(profile, "gpu_launches").value_or(0) > 0;
  if (parts.cpu_ns <= 0 || parts.sampling_ns.value <= 0 || (launches && parts.launching_ns <= 0))
    return figures;
  const OwnCost cost = OwnCostOf(parts);
  if (!(cost.high < kMaxRatio)) return figures;
  const auto millionths = [](double ratio) { return std::llround((ratio - 1) * 1e6); };
  figures = {OwnCostState::kKnown, millionths(cost.ratio), millionths(cost.low),
             millionths(cost.high)};
  if (IsHidden(profile, parts)) figures.low_ppm = 0;
  if (figures.low_ppm <= 0 || figures.high_ppm / 2 > figures.low_ppm)
    figures.state = OwnCostState::kBounded;
  return figures;
}

}  // namespace gprofx
