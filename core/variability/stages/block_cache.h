// Keeps blocks of events (source.h) from the first pass in memory for the second pass, up to a
// number of events. Reading an SQLite table again would take as long as the comparison itself. The
// cache does not change results.
//
// In cached events, groups and lanes have numbers of the cache, which are common to all files.
// Keep() may be called from any thread. Call the other functions only after the last Keep().
#pragma once

#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "core/variability/plan.h"

namespace gprofx::variability {

class BlockCache {
 public:
  explicit BlockCache(size_t most_events) : most_events_(most_events) {}

  // Maps the groups and lanes of one file to numbers of the cache. Use one object per thread.
  struct Names {
    uint32_t file = UINT32_MAX;
    std::vector<uint32_t> groups, lanes;
  };
  void Keep(uint32_t index, const EventFile& file, const BlockId& block,
            std::span<const Event> events, Names& names);

  // Prepares Translate() for `plan`; call it first. Translate() then returns false for events whose
  // group or lane the plan does not have.
  void Use(const Plan& plan);
  // Returns the events of a block; null if it was not kept.
  const std::vector<Event>* Find(uint32_t file, const BlockId& block) const;
  // Replaces the group and lane numbers of the cache in `event` by those of the plan. Returns false
  // if the plan does not have its lane or group.
  bool Translate(const Plan& plan, Event& event) const;

 private:
  uint32_t GroupNumber(const Hash128& hash);
  uint32_t LaneNumber(const LaneId& lane);

  const size_t most_events_;
  std::mutex mutex_;
  size_t events_ = 0;
  std::map<std::pair<uint32_t, BlockId>, std::vector<Event>> blocks_;
  std::map<Hash128, uint32_t> group_numbers_;
  std::map<LaneId, uint32_t> lane_numbers_;
  std::vector<uint32_t> plan_groups_, plan_lanes_;
};

}  // namespace gprofx::variability
