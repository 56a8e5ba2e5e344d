#include "core/gpu/gpu_launches.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gprofx {

void LaunchTable::Add(const GpuLaunch& launch) {
  const uint32_t correlation = launch.correlation;
  if (correlation == 0) return;
  if (entries_.empty()) {
    entries_.resize(kFirstEntries);
    seen_.resize(kFirstEntries);
  }
  const auto is_taken = [&] {
    const GpuLaunch& there = entries_[SlotOf(correlation)];
    return there.correlation != 0 && there.correlation != correlation;
  };
  while (entries_.size() < kMinEntries && is_taken()) Grow();
  const auto in_the_way = [&] {
    const size_t slot = SlotOf(correlation);
    const GpuLaunch& there = entries_[slot];
    return is_taken() && !seen_[slot] && launch.time - there.time < kRemember &&
           !Untraced(there.time);
  };
  while (entries_.size() < kMaxEntries && in_the_way()) Grow();
  if (in_the_way()) ++forgotten_;
  entries_[SlotOf(correlation)] = launch;
  seen_[SlotOf(correlation)] = false;
}

const GpuLaunch* LaunchTable::Find(uint32_t correlation, bool* first) {
  if (correlation == 0 || entries_.empty()) return nullptr;
  const size_t slot = SlotOf(correlation);
  if (entries_[slot].correlation != correlation) return nullptr;
  if (first != nullptr) *first = !seen_[slot];
  seen_[slot] = true;
  return &entries_[slot];
}

void LaunchTable::EndUntraced(HostNs end) {
  if (untraced_since_ == kTraced) return;
  untraced_.push_back({untraced_since_, end});
  untraced_since_ = kTraced;
  while (end - untraced_.front().end > kRemember) untraced_.pop_front();
}

bool LaunchTable::Untraced(HostNs time) const {
  if (time >= untraced_since_) return true;
  const auto after = std::upper_bound(untraced_.begin(), untraced_.end(), time,
                                      [](HostNs t, const Times& times) { return t < times.begin; });
  return after != untraced_.begin() && time < std::prev(after)->end;
}

// Doubles the table. A slot is given by the low bits of an id, so no two entries move to the same
// slot.
void LaunchTable::Grow() {
  const std::vector<GpuLaunch> entries(std::exchange(entries_, {}));
  const std::vector<bool> seen(std::exchange(seen_, {}));
  entries_.resize(entries.size() * 2);
  seen_.resize(entries.size() * 2);
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].correlation == 0) continue;
    entries_[SlotOf(entries[i].correlation)] = entries[i];
    seen_[SlotOf(entries[i].correlation)] = seen[i];
  }
}

}  // namespace gprofx
