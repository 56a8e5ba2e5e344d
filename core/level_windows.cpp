#include "core/level_windows.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

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

Gaps::Gaps(std::vector<HostNs> begins) : begins_(std::move(begins)) {
  std::sort(begins_.begin(), begins_.end());
}

uint32_t Gaps::Before(HostNs time) const {
  const auto later = std::upper_bound(begins_.begin(), begins_.end(), time);
  return static_cast<uint32_t>(later - begins_.begin());
}

void LevelWindows::Begin(HostNs begin, bool recording, bool traced, int64_t launches) {
  launches_ = launches;
  open_ = true;
  windows_.push_back({begin, begin, 0, recording, traced});
  if (recording && !traced) gaps_.Begin(begin);
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

bool IsGap(const LevelWindow& window) {
  return window.recording && !window.traced && window.end > window.begin;
}

std::vector<LevelWindow> OfLaunching(std::span<const LevelWindow> windows) {
  std::unordered_map<uint32_t, int64_t> launches;  // by process
  int64_t most = 0;
  for (const LevelWindow& window : windows) {
    int64_t& sum = launches[window.process.value];
    sum = AddSaturated(sum, window.launches);
    most = std::max(most, sum);
  }
  std::vector<LevelWindow> out;
  for (const LevelWindow& window : windows) {
    if (LaunchesEnough(launches[window.process.value], most)) out.push_back(window);
  }
  if (std::any_of(out.begin(), out.end(), IsGap)) return out;
  return {windows.begin(), windows.end()};
}

void DescribeRecords(const RecordsMade& made, std::map<std::string, int64_t>& quality) {
  quality["gpu_level_traced_ns"] = made.traced_ns;
  quality["gpu_level_counted_ns"] = made.counted_ns;
  quality["gpu_level_launches"] = made.launches;
  quality["gpu_level_traced_launches"] = made.traced_launches;
}

RecordsMade RecordsMadeOf(const std::map<std::string, int64_t>& quality) {
  const auto number = [&](const char* name) {
    const auto found = quality.find(name);
    return found == quality.end() ? int64_t{0} : std::max<int64_t>(found->second, 0);
  };
  return {number("gpu_level_launches"), number("gpu_level_traced_launches"),
          number("gpu_level_traced_ns"), number("gpu_level_counted_ns")};
}

double RecordsShare(const RecordsMade& made) {
  const auto traced_ns = static_cast<double>(made.traced_ns);
  const auto counted_ns = static_cast<double>(made.counted_ns);
  const double all_ns = traced_ns + counted_ns;
  if (all_ns <= 0) return 0;
  const auto traced = static_cast<double>(made.traced_launches);
  const double counted = static_cast<double>(made.launches) - traced;
  if (counted <= 0) return traced_ns / all_ns;
  return std::min(traced_ns, traced / counted * counted_ns) / all_ns;
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
