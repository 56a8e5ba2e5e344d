// Implements SplitCount of pc_attribution.h: largest remainder rounding with carry.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "samplers/collector/gpu/pc_attribution.h"

namespace gprofx {

std::vector<uint64_t> SplitCount(uint64_t total, const std::vector<double>& weights,
                                 const std::vector<double*>& carry) {
  const size_t n = weights.size();
  std::vector<uint64_t> parts(n, 0);
  if (n == 0) return parts;
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<double> wanted(n);
  uint64_t given = 0;
  for (size_t i = 0; i < n; ++i) {
    wanted[i] = static_cast<double>(total) * (weights[i] / sum) + *carry[i];
    const double floor = std::max(std::floor(wanted[i]), 0.0);
    const uint64_t left = total - given;
    // Compare before the conversion, because the value may be larger than any integer.
    parts[i] = floor >= static_cast<double>(left) ? left : static_cast<uint64_t>(floor);
    given += parts[i];
  }
  std::vector<size_t> order(n);
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return wanted[a] - static_cast<double>(parts[a]) > wanted[b] - static_cast<double>(parts[b]);
  });
  for (size_t i = 0; given < total; i = (i + 1) % n) {
    // Normally each part gets one more at most. Huge counts lose their low bits in `wanted`, and
    // then more than that is left to distribute.
    const uint64_t more = std::max<uint64_t>((total - given) / n, 1);
    parts[order[i]] += more;
    given += more;
  }
  for (size_t i = 0; i < n; ++i) {
    *carry[i] = std::clamp(wanted[i] - static_cast<double>(parts[i]), -1.0, 1.0);
  }
  return parts;
}

}  // namespace gprofx
