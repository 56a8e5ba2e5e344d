// Sorts data that consists of a few sorted runs. Such data comes from several lanes, files or
// ranks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace gprofx::variability {

// Sorts `all` like std::sort, but merges its sorted runs. Falls back to std::sort if there are many
// runs.
template <class T, class Less>
void SortRuns(std::vector<T>& all, Less less) {
  std::vector<size_t> borders = {0};
  for (size_t i = 1; i < all.size(); ++i) {
    if (less(all[i], all[i - 1])) borders.push_back(i);
  }
  borders.push_back(all.size());
  if (borders.size() > all.size() / 16 + 16) return std::sort(all.begin(), all.end(), less);
  const auto at = [&](size_t i) { return all.begin() + static_cast<ptrdiff_t>(borders[i]); };
  while (borders.size() > 2) {
    std::vector<size_t> merged;
    for (size_t i = 0; i + 1 < borders.size(); i += 2) {
      merged.push_back(borders[i]);
      if (i + 2 < borders.size()) std::inplace_merge(at(i), at(i + 1), at(i + 2), less);
    }
    merged.push_back(borders.back());
    borders = std::move(merged);
  }
}

}  // namespace gprofx::variability
