#include "core/compare/renamed.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>

#include "core/compare/statistics/sums.h"

namespace gprofx::compare {
namespace {

constexpr double kMaxTimeDifference = 0.2;  // difference of the self times, relative to the new one

using Home = std::tuple<FrameKind, std::string_view, std::string_view>;  // kind, file, module
using ByTime = std::multimap<double, size_t>;

Home HomeOf(const Part& part) { return {part.kind, part.file, part.module}; }

ByTime::iterator Nearest(ByTime& parts, double time) {
  const auto above = parts.lower_bound(time);
  if (above == parts.begin()) return above;
  const auto below = std::prev(above);
  return above == parts.end() || time - below->first < above->first - time ? below : above;
}

}  // namespace

std::vector<std::pair<size_t, size_t>> FindRenamed(std::span<const Change> changes,
                                                   std::span<const Series> self) {
  std::map<Home, ByTime> gone;
  std::vector<std::pair<double, size_t>> made;
  for (size_t i = 0; i < changes.size(); ++i) {
    const double base = Mean(self[i].base), head = Mean(self[i].head);
    if (changes[i].fate == Change::kGone && base > 0) {
      gone[HomeOf(changes[i].part)].emplace(base, i);
    }
    if (changes[i].fate == Change::kNew && head > 0) made.emplace_back(head, i);
  }
  std::sort(made.begin(), made.end(),
            [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::pair<size_t, size_t>> pairs;
  for (const auto& [time, i] : made) {
    const auto home = gone.find(HomeOf(changes[i].part));
    if (home == gone.end() || home->second.empty()) continue;
    const auto old = Nearest(home->second, time);
    if (std::fabs(old->first - time) > kMaxTimeDifference * time) continue;
    pairs.emplace_back(i, old->second);
    home->second.erase(old);
  }
  return pairs;
}

}  // namespace gprofx::compare
