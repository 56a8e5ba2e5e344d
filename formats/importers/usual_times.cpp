#include "formats/importers/usual_times.h"

#include <algorithm>
#include <numeric>

namespace gprofx::importers {
namespace {

// Length of a range that is counted separately, about ten hours. This gives few ranges and is far
// shorter than a pause.
constexpr int64_t kRangeNs = int64_t{1} << 45;
constexpr int64_t kMinShare = 10;  // one of this many events may be outside the range

}  // namespace

void UsualTimes::Range::Join(const Range& other) {
  for (size_t i = 0; i < events.size(); ++i) events[i] += other.events[i];
  first = std::min(first, other.first);
  last = std::max(last, other.last);
}

int64_t UsualTimes::Range::all() const {
  return std::accumulate(events.begin(), events.end(), int64_t{0});
}

void UsualTimes::Add(TimeKind kind, int64_t start, int64_t end) {
  const int64_t key = start / kRangeNs;
  if (latest_ == nullptr || key != latest_key_) latest_ = &ranges_[key];
  latest_key_ = key;
  Range one{{}, start, end};
  one.events[static_cast<size_t>(kind)] = 1;
  latest_->Join(one);
}

// True if `range` contains nearly all events of `whole`, of every kind. One event of a kind may be
// outside if others of that kind are inside.
bool UsualTimes::HoldsNearlyAll(const Range& range, const Range& whole) {
  if (whole.all() - range.all() > whole.all() / kMinShare) return false;
  for (size_t i = 0; i < range.events.size(); ++i) {
    const int64_t all = whole.events[i], far = all - range.events[i];
    if (far > all / kMinShare && (far > 1 || far == all)) return false;
  }
  return true;
}

Status UsualTimes::Finish() {
  Range best, here, whole;
  for (const auto& [_, range] : ranges_) {
    if (here.all() > 0 && range.first - here.last > kLongest) here = {};
    here.Join(range);
    whole.Join(range);
    if (here.all() > best.all()) best = here;
  }
  if (whole.all() == 0) return Ok();
  if (!HoldsNearlyAll(best, whole)) {
    return Error{ErrorId::kDamaged, "the times of the events are more than a month apart",
                 "do not trust this file, or export it again"};
  }
  first_ = best.first;
  last_ = best.last;
  all_ = best.all() == whole.all();
  return Ok();
}

}  // namespace gprofx::importers
