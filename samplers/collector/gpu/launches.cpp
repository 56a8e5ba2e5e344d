#include "samplers/collector/gpu/launches.h"

#include <utility>

namespace gprofx {

void LaunchTable::Add(uint32_t correlation, ThreadId thread, NodeId node, HostNs time) {
  if (correlation == 0) return;
  if (entries_.empty()) entries_.resize(kLeastEntries);
  const auto in_the_way = [&] {
    const GpuLaunch& entry = entries_[correlation & (entries_.size() - 1)];
    return entry.correlation != 0 && entry.correlation != correlation && !entry.seen &&
           time - entry.time < kRemember;
  };
  while (entries_.size() < kMostEntries && in_the_way()) Grow();
  if (in_the_way()) ++forgotten_;
  entries_[correlation & (entries_.size() - 1)] = {correlation, thread, node, false, time};
}

const GpuLaunch* LaunchTable::Find(uint32_t correlation) {
  if (correlation == 0 || entries_.empty()) return nullptr;
  GpuLaunch& entry = entries_[correlation & (entries_.size() - 1)];
  if (entry.correlation != correlation) return nullptr;
  entry.seen = true;
  return &entry;
}

// Entries of different slots stay in different slots.
void LaunchTable::Grow() {
  std::vector<GpuLaunch> larger(entries_.size() * 2);
  for (const GpuLaunch& entry : entries_) {
    if (entry.correlation != 0) larger[entry.correlation & (larger.size() - 1)] = entry;
  }
  entries_ = std::move(larger);
}

}  // namespace gprofx
