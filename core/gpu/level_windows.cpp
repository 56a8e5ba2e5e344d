#include "core/gpu/level_windows.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/base/arithmetic.h"

namespace gprofx {
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

void AddWindow(const LevelWindow& window, HostNs begin, HostNs end, RecordsMade& made) {
  const HostNs length = window.end - window.begin;
  const HostNs inside = std::min(window.end, end) - std::max(window.begin, begin);
  if (!window.recording || inside <= 0 || length <= 0) return;
  const auto launches =
      static_cast<int64_t>(static_cast<__int128>(window.launches) * inside / length);
  int64_t& ns = window.traced ? made.traced_ns : made.counted_ns;
  ns = AddSaturated(ns, inside);
  made.launches = AddSaturated(made.launches, launches);
  if (window.traced) made.traced_launches = AddSaturated(made.traced_launches, launches);
}

}  // namespace gprofx
