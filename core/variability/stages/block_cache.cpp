#include "core/variability/stages/block_cache.h"

namespace gprofx::variability {

uint32_t BlockCache::GroupNumber(const Hash128& hash) {
  return group_numbers_.try_emplace(hash, group_numbers_.size()).first->second;
}

uint32_t BlockCache::LaneNumber(const LaneId& lane) {
  return lane_numbers_.try_emplace(lane, lane_numbers_.size()).first->second;
}

void BlockCache::Keep(uint32_t index, const EventFile& file, const BlockId& block,
                      std::span<const Event> events, Names& names) {
  {
    const std::lock_guard lock(mutex_);
    if (events_ + events.size() > most_events_) return;
    events_ += events.size();
    if (names.file != index) names = {index, {}, {}};
    while (names.groups.size() < file.groups().size()) {
      names.groups.push_back(GroupNumber(HashOf(TextOf(file.groups()[names.groups.size()]))));
    }
    while (names.lanes.size() < file.lanes().size()) {
      LaneId lane = file.lanes()[names.lanes.size()];
      lane.file = index;
      names.lanes.push_back(LaneNumber(lane));
    }
  }
  std::vector<Event> kept(events.begin(), events.end());
  for (Event& event : kept) {
    event.group = names.groups[event.group];
    event.lane = names.lanes[event.lane];
  }
  const std::lock_guard lock(mutex_);
  blocks_.emplace(std::pair(index, block), std::move(kept));
}

void BlockCache::Use(const Plan& plan) {
  plan_groups_.assign(group_numbers_.size(), UINT32_MAX);
  plan_lanes_.assign(lane_numbers_.size(), UINT32_MAX);
  for (uint32_t i = 0; i < plan.groups.size(); ++i) {
    const auto found = group_numbers_.find(plan.groups[i].hash);
    if (plan.groups[i].base == i && found != group_numbers_.end()) plan_groups_[found->second] = i;
  }
  for (uint32_t i = 0; i < plan.lanes.size(); ++i) {
    const auto found = lane_numbers_.find(plan.lanes[i].id);
    if (found != lane_numbers_.end()) plan_lanes_[found->second] = i;
  }
}

const std::vector<Event>* BlockCache::Find(uint32_t file, const BlockId& block) const {
  const auto found = blocks_.find({file, block});
  return found == blocks_.end() ? nullptr : &found->second;
}

bool BlockCache::Translate(const Plan& plan, Event& event) const {
  event.group = plan_groups_[event.group];
  event.lane = plan_lanes_[event.lane];
  if (event.group == UINT32_MAX || event.lane == UINT32_MAX || event.duration < 0) return false;
  event.start += plan.lanes[event.lane].offset;
  return true;
}

}  // namespace gprofx::variability
