#include "core/level_windows.h"

#include <algorithm>
#include <unordered_map>

#include "core/arithmetic.h"

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

bool LevelWindows::AnyUntraced(HostNs start, HostNs end) const {
  for (auto window = windows_.rbegin(); window != windows_.rend(); ++window) {
    const bool open = open_ && window == windows_.rbegin();
    if (!open && window->end <= start) return false;
    if (!window->traced && window->begin < end) return true;
  }
  return false;
}

PairedCost CostOfRecords(const std::vector<LevelWindow>& windows) {
  PairedRatios ratios;
  for (size_t i = 1; i + 1 < windows.size(); ++i) {
    if (!windows[i].traced || windows[i - 1].traced || windows[i + 1].traced) continue;
    const double before = RateOf(windows[i - 1]), own = RateOf(windows[i]),
                 after = RateOf(windows[i + 1]);
    if (before > 0 && own > 0 && after > 0) ratios.Add((before + after) / 2, own);
  }
  return ratios.Cost();
}

std::vector<LevelWindow> OfLaunching(std::span<const LevelWindow> windows) {
  std::unordered_map<uint32_t, int64_t> launches;  // by process
  int64_t in_all = 0;
  for (const LevelWindow& window : windows) {
    launches[window.process.value] += window.launches;
    in_all += window.launches;
  }
  std::vector<LevelWindow> out;
  for (const LevelWindow& window : windows) {
    if (LaunchesEnough(launches[window.process.value], in_all)) out.push_back(window);
  }
  return out;
}

void AddWindow(const LevelWindow& window, HostNs begin, HostNs end, RecordsMade& made) {
  const HostNs length = window.end - window.begin;
  const HostNs inside = std::min(window.end, end) - std::max(window.begin, begin);
  if (!window.recording || inside <= 0 || length <= 0) return;
  const auto launches = static_cast<int64_t>(static_cast<__int128>(window.launches) * inside / length);
  int64_t& ns = window.traced ? made.traced_ns : made.counted_ns;
  ns = AddSaturated(ns, inside);
  made.launches = AddSaturated(made.launches, launches);
  if (window.traced) made.traced_launches = AddSaturated(made.traced_launches, launches);
}

}  // namespace gprofx
