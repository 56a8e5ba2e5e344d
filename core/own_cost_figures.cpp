#include "core/own_cost_figures.h"

#include <cmath>
#include <optional>

#include "core/arithmetic.h"
#include "core/own_cost.h"

namespace gprofx {
namespace {

constexpr char kHostIsLimit[] = "gpu_host_is_limit";
constexpr double kMaxRatio = 100;  // beyond, it is a broken file and no measurement

std::optional<int64_t> Counter(const Profile& profile, const char* name) {
  const auto found = profile.quality.find(name);
  if (found == profile.quality.end()) return std::nullopt;
  return found->second;
}

bool ByWallClock(const Profile& profile) {
  const auto clock = profile.meta.find("clock");
  return clock != profile.meta.end() && clock->second == "wall";
}

// What the host does more while the GPU is busy anyway, nobody waits for.
bool GpuHidesCost(const Profile& profile) {
  constexpr double kBusy = 0.8;
  if (Counter(profile, kHostIsLimit).value_or(0) != 0) return false;
  int64_t all = 0, busy = 0;
  for (const WallPart& part : profile.gpu.wall) {
    all = AddSaturated(all, part.ns);
    if (part.name.starts_with("busy")) busy = AddSaturated(busy, part.ns);
  }
  return static_cast<double>(busy) > kBusy * static_cast<double>(all);
}

}  // namespace

OwnCostFigures OwnCostFiguresOf(const Profile& profile) {
  OwnCostFigures figures;
  // By the wall clock samples are taken where nothing is used, too.
  if (ByWallClock(profile)) return figures;
  const CostParts parts = CostPartsOf(profile.quality);
  const bool launches = Counter(profile, "gpu_launches").value_or(0) > 0;
  if (parts.cpu_ns <= 0 || parts.sampling_ns.value <= 0 || (launches && parts.launching_ns <= 0))
    return figures;
  const OwnCost cost = OwnCostOf(parts);
  if (!(cost.high < kMaxRatio)) return figures;
  const auto millionths = [](double ratio) { return std::llround((ratio - 1) * 1e6); };
  figures = {OwnCostState::kKnown, millionths(cost.ratio), millionths(cost.low),
             millionths(cost.high)};
  if (GpuHidesCost(profile)) figures.low_ppm = 0;
  if (figures.low_ppm <= 0 || figures.high_ppm / 2 > figures.low_ppm)
    figures.state = OwnCostState::kBounded;
  return figures;
}

}  // namespace gprofx
