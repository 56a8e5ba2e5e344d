#include "samplers/recorder/flight/when_watch.h"

#include <algorithm>

#include "core/base/quantile.h"

namespace gprofx::recorder {
namespace {

constexpr HostNs kJoin = 20'000;  // a shorter gap does not count as idle

}  // namespace

bool WhenWatch::wants(WhenWhat what) const {
  return std::any_of(rules_.begin(), rules_.end(),
                     [=](const WhenRule& rule) { return rule.what == what; });
}

void WhenWatch::AddStep(uint32_t thread, const std::string& kind, HostNs ns) {
  if (trains_.size() >= kMaxTrains && !trains_.contains({thread, kind})) return;
  Train& train = trains_[{thread, kind}];
  for (const WhenRule& rule : rules_) {
    if (rule.what != WhenWhat::kStep) continue;
    double limit = rule.limit;
    if (rule.quantile) {
      if (train.steps.size() < kMinSteps) continue;
      const std::vector<double> steps(train.steps.begin(), train.steps.end());
      limit *= Quantile(steps, *rule.quantile / 100.0);
    }
    if (static_cast<double>(ns) > limit) Fire(rule);
  }
  if (++train.seen <= kWarmUp) return;
  train.steps.push_back(ns);
  if (train.steps.size() > kMaxSteps) train.steps.pop_front();
}

void WhenWatch::AddWork(const EventTable& rows) {
  if (!wants(WhenWhat::kGpuIdle)) return;
  for (size_t i = 0; i < rows.rows(); ++i) {
    HostNs begin = rows.column(0)[i], end = begin + rows.column(1)[i];
    auto at = busy_.upper_bound(begin);
    if (at != busy_.begin() && std::prev(at)->second + kJoin >= begin) --at;
    while (at != busy_.end() && at->first <= end + kJoin) {
      begin = std::min(begin, at->first);
      end = std::max(end, at->second);
      at = busy_.erase(at);
    }
    busy_[begin] = end;
  }
}

double WhenWatch::IdleShare(HostNs now) {
  const HostNs begin = now - kIdleOver;
  while (!busy_.empty() && busy_.begin()->second < begin) busy_.erase(busy_.begin());
  HostNs busy = 0;
  for (const auto& [from, to] : busy_) {
    busy += std::max<HostNs>(std::min(to, now) - std::max(from, begin), 0);
  }
  return 1 - static_cast<double>(busy) / static_cast<double>(kIdleOver);
}

void WhenWatch::Look(HostNs now, int64_t rss) {
  for (size_t i = 0; i < rules_.size(); ++i) {
    const WhenRule& rule = rules_[i];
    if (rule.what == WhenWhat::kStep) continue;
    bool holds = rule.what == WhenWhat::kRss && static_cast<double>(rss) > rule.limit;
    // Check an earlier time, because records arrive late. Nothing is known before the first GPU
    // work and in the first 10 s.
    constexpr HostNs kLate = 2'000'000'000;
    if (rule.what == WhenWhat::kGpuIdle && !busy_.empty() && now > kIdleOver + kLate)
      holds = IdleShare(now - kLate) > rule.limit;
    if (holds && !holds_[i]) Fire(rule);
    holds_[i] = holds;
  }
}

}  // namespace gprofx::recorder
