// Keeps blocks of events (source.h) that the first pass read, for the second pass, up to a number
// of events. Reading an SQLite table again would take as long as comparing its contents. The cache
// does not change results.
//
// Cached events have group and lane numbers of the cache, which all files share. Keep() may be
// called from any thread. All other functions may be called only after the last Keep().
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

  // A file's tables as numbers of the cache; one per thread.
  struct Names {
    uint32_t file = UINT32_MAX;
    std::vector<uint32_t> groups, lanes;
  };
  void Keep(uint32_t index, const EventFile& file, const BlockId& block,
            std::span<const Event> events, Names& names);

  // Prepares Translate() for a plan; must be called first. Numbers of groups and lanes that are not
  // in the plan become UINT32_MAX.
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
