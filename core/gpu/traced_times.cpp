#include "core/gpu/traced_times.h"

#include <algorithm>

namespace gprofx {

std::vector<TimeRange> TracedTimes(std::span<const LevelWindow> windows, ProcessId process) {
  std::vector<TimeRange> traced;
  for (const LevelWindow& window : windows) {
    if (window.traced && window.process == process) traced.push_back({window.begin, window.end});
  }
  std::sort(traced.begin(), traced.end());
  return traced;
}

}  // namespace gprofx
