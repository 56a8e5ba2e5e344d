#include "cli/terminal/nearest_word.h"

#include <algorithm>
#include <array>

namespace gprofx {

size_t EditDistance(std::string_view a, std::string_view b) {
  constexpr size_t kMax = 64;
  if (a.size() > kMax || b.size() > kMax) return std::max(a.size(), b.size());
  std::array<std::array<size_t, kMax + 1>, kMax + 1> cost{};
  for (size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

std::string NearestWord(std::string_view word, std::span<const std::string> known) {
  constexpr size_t kShort = 3, kLong = 5;
  size_t limit = word.size() >= kLong ? 2 : 1;
  if (word.size() < kShort) return "";
  std::string nearest;
  for (const std::string& candidate : known) {
    const size_t distance = EditDistance(word, candidate);
    if (distance > limit || distance >= candidate.size()) continue;
    if (!nearest.empty() && distance == limit) continue;
    limit = distance;
    nearest = candidate;
  }
  return nearest;
}

std::string DidYouMean(const std::string& nearest) {
  return nearest.empty() ? "" : "did you mean '" + nearest + "'? ";
}

}  // namespace gprofx
