// Keeps blocks of the first pass for the second, as many as fit, because reading an SQLite table
// takes as long as comparing its contents. The cache does not change results.
//
// Cached events have group and lane numbers of the cache, which all files share. Keep() from any
// thread; everything else after the last Keep().
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

  // Translates the numbers to those of a plan; UINT32_MAX = not in it.
  void Use(const Plan& plan);
  // Null if it was not kept.
  const std::vector<Event>* Find(uint32_t file, const BlockId& block) const;
  // False if its lane or group does not count.
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
