#include "core/gpu/idle_share.h"

#include <algorithm>
#include <cmath>

#include "core/base/arithmetic.h"
#include "core/events/event_rows.h"

namespace gprofx {

HostNs WindowBegin(HostNs time) {
  const HostNs remainder = time % kShareWindow;
  return time - (remainder < 0 ? remainder + kShareWindow : remainder);
}

HostShares ScaleToLimit(const HostShares& weights, int64_t limit) {
  unsigned __int128 total = 0;
  for (const int64_t weight : weights) total += static_cast<uint64_t>(weight);
  if (total <= static_cast<uint64_t>(limit)) return weights;
  HostShares shares{};
  std::array<unsigned __int128, kHostClasses> remainders{};
  int64_t left = limit;
  for (size_t i = 0; i < kHostClasses; ++i) {
    const unsigned __int128 product =
        static_cast<unsigned __int128>(static_cast<uint64_t>(weights[i])) *
        static_cast<uint64_t>(limit);
    shares[i] = static_cast<int64_t>(product / total);
    remainders[i] = product % total;
    left -= shares[i];
  }
  for (; left > 0; --left) {  // at most one pass per share
    const auto largest = std::max_element(remainders.begin(), remainders.end());
    ++shares[static_cast<size_t>(largest - remainders.begin())];
    *largest = 0;
  }
  return shares;
}

namespace {

// Adds to `shares` the idle time that probes explain. `left` is the idle time that is not yet
// explained, `looks` the number of probes by class.
void AddLooks(const HostShares& looks, int64_t left, HostShares& shares) {
  int64_t sum = 0;
  for (const int64_t count : looks) sum += count;
  if (sum == 0) return;
  const double most = static_cast<double>(sum) + 2 * std::sqrt(static_cast<double>(sum));
  left = std::min(left, static_cast<int64_t>(most * static_cast<double>(kWaitLookNs)));
  // These weights are larger than `left` in sum; ScaleToLimit() therefore scales them to exactly
  // `left`.
  HostShares weights = looks;
  for (int64_t& weight : weights) weight *= 4 * kWaitLookNs;
  const HostShares scaled = ScaleToLimit(weights, left);
  for (size_t i = 0; i < kHostClasses; ++i) shares[i] += scaled[i];
}

}  // namespace

HostShares ShareIdleTime(std::span<const Gap> gaps, std::span<const HostSample> samples) {
  HostShares shares{};
  size_t gap = 0;  // the first gap that ends after the current time
  for (size_t i = 0; i < samples.size();) {
    const HostNs window = WindowBegin(samples[i].time);
    const HostNs window_end = window + kShareWindow;
    int64_t idle = 0;
    while (gap < gaps.size() && gaps[gap].end <= window) ++gap;
    for (size_t k = gap; k < gaps.size() && gaps[k].begin < window_end; ++k) {
      idle += std::min(gaps[k].end, window_end) - std::max(gaps[k].begin, window);
    }
    HostShares weights{}, looks{};
    for (; i < samples.size() && samples[i].time < window_end; ++i) {
      const HostSample& sample = samples[i];
      while (gap < gaps.size() && gaps[gap].end <= sample.time) ++gap;
      if (gap == gaps.size() || gaps[gap].begin > sample.time) continue;
      if (sample.look) {
        ++looks[sample.what];
        continue;
      }
      weights[sample.what] = AddSaturated(weights[sample.what], sample.weight);
    }
    HostShares scaled = ScaleToLimit(weights, idle);
    int64_t left = idle;
    for (const int64_t share : scaled) left -= share;
    AddLooks(looks, left, scaled);
    for (size_t k = 0; k < kHostClasses; ++k) shares[k] += scaled[k];
  }
  return shares;
}

}  // namespace gprofx
