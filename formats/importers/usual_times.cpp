#include "formats/importers/usual_times.h"

#include <algorithm>

namespace gprofx::importers {
namespace {

constexpr int64_t kRangeNs = int64_t{1} << 45;  // ten hours: few ranges, far shorter than a pause
constexpr int64_t kMinShare = 10;               // of so many events, one may lie elsewhere

}  // namespace

void UsualTimes::Range::Join(const Range& other) {
  events += other.events;
  first = std::min(first, other.first);
  last = std::max(last, other.last);
}

void UsualTimes::Add(int64_t start, int64_t end) {
  const int64_t key = start / kRangeNs;
  if (latest_ == nullptr || key != latest_key_) latest_ = &ranges_[key];
  latest_key_ = key;
  latest_->Join({1, start, end});
}

Status UsualTimes::Finish() {
  Range best, here;
  int64_t events = 0;
  for (const auto& [_, range] : ranges_) {
    if (here.events > 0 && range.first - here.last > kLongest) here = {};
    here.Join(range);
    events += range.events;
    if (here.events > best.events) best = here;
  }
  if (events == 0) return Ok();
  if (events - best.events > events / kMinShare) {
    return Error{"the times of its events lie more than a month apart",
                 "do not trust this file, or export it again"};
  }
  first_ = best.first;
  last_ = best.last;
  all_ = best.events == events;
  return Ok();
}

}  // namespace gprofx::importers
