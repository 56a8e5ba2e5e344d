#include "core/level_windows.h"

#include <algorithm>
#include <cmath>

namespace gprofx {
namespace {

constexpr int64_t kLeastLaunches = 50;
constexpr HostNs kLongestNeighbour = 5'000'000'000;

double RateOf(const LevelWindow& window) {
  const HostNs length = window.end - window.begin;
  if (!window.recording || window.launches < kLeastLaunches || length <= 0 ||
      length > kLongestNeighbour)
    return 0;
  return static_cast<double>(window.launches) / static_cast<double>(length);
}

}  // namespace

void LevelWindows::Begin(HostNs begin, bool recording, bool traced, int64_t launches) {
  launches_ = launches;
  open_ = true;
  windows_.push_back({begin, begin, 0, recording, traced});
}

const LevelWindow* LevelWindows::End(HostNs end, int64_t launches) {
  if (!open_) return nullptr;
  open_ = false;
  LevelWindow& window = windows_.back();
  window.end = std::max(end, window.begin);
  window.launches = std::max<int64_t>(launches - launches_, 0);
  return &window;
}

PairedCost CostOfRecords(const std::vector<LevelWindow>& windows) {
  double sum = 0, squares = 0;
  PairedCost cost;
  for (size_t i = 1; i + 1 < windows.size(); ++i) {
    if (!windows[i].traced || windows[i - 1].traced || windows[i + 1].traced) continue;
    const double before = RateOf(windows[i - 1]), own = RateOf(windows[i]),
                 after = RateOf(windows[i + 1]);
    if (before <= 0 || own <= 0 || after <= 0) continue;
    const double seen = std::clamp(std::log((before + after) / 2 / own), -1.5, 1.5);
    sum += seen;
    squares += seen * seen;
    ++cost.pairs;
  }
  if (cost.pairs < 2) return cost;
  const double n = static_cast<double>(cost.pairs), mean = sum / n;
  const double error = std::sqrt(std::max(0.0, squares - n * mean * mean) / (n - 1) / n);
  cost.ratio = std::exp(mean);
  cost.low = std::exp(mean - 1.96 * error);
  cost.high = std::exp(mean + 1.96 * error);
  return cost;
}

}  // namespace gprofx
