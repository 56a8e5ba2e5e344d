#include "core/wall/wall_lanes.h"

#include <algorithm>

namespace gprofx {

void WallLanes::AddBusy(ProcessId process, GpuDeviceId device, BusyClass what, HostNs begin,
                        HostNs end) {
  if (begin >= end) return;
  const Key key{process, device};
  auto found = lanes_.find(key);
  if (found == lanes_.end()) {
    if (lanes_.size() >= kMaxLanes) {
      ++without_lane_;
      return;
    }
    found = lanes_.try_emplace(key).first;
    found->second.begin = begin;
    for (const HostEvent& event : recent_[process.value]) Feed(found->second, event);
  }
  Lane& lane = found->second;
  lane.begin = std::min(lane.begin, begin);
  lane.wall.AddBusy(what, begin, end);
}

void WallLanes::AddWait(ProcessId process, const std::string& call, HostNs begin, HostNs end) {
  const std::string& name = calls_.try_emplace(call).first->first;
  AddHost(process, {HostEvent::kWait, {}, begin, end, &name});
}

void WallLanes::AddQueueFull(ProcessId process, HostNs begin, HostNs end) {
  AddHost(process, {HostEvent::kQueueFull, {}, begin, end, nullptr});
}

void WallLanes::AddSample(ProcessId process, HostClass what, HostNs time, int64_t weight_ns) {
  AddHost(process, {HostEvent::kSample, what, time, weight_ns, nullptr});
}

void WallLanes::AddLook(ProcessId process, HostClass what, HostNs time) {
  AddHost(process, {HostEvent::kLook, what, time, 0, nullptr});
}

void WallLanes::AddHost(ProcessId process, const HostEvent& event) {
  std::deque<HostEvent>& recent = recent_[process.value];
  recent.push_back(event);
  const size_t most = std::min(kMaxRecent, std::max<size_t>(kMaxRecentOfAll / recent_.size(), 1));
  while (recent.size() > most) recent.pop_front();
  const auto first = lanes_.lower_bound({process, GpuDeviceId{}});
  for (auto at = first; at != lanes_.end() && at->first.first == process; ++at) {
    Feed(at->second, event);
  }
}

// Adds a host event to the partition of a lane. Time before the lane begins does not count.
void WallLanes::Feed(Lane& lane, const HostEvent& event) {
  const HostNs begin = std::max(event.begin, lane.begin);
  switch (event.kind) {
    case HostEvent::kWait:
      lane.wall.AddWait(*event.call, begin, event.end);
      break;
    case HostEvent::kQueueFull:
      lane.wall.AddQueueFull(begin, event.end);
      break;
    case HostEvent::kSample:
      if (event.begin >= lane.begin) lane.wall.AddSample(event.what, event.begin, event.end);
      break;
    case HostEvent::kLook:
      if (event.begin >= lane.begin) lane.wall.AddLook(event.what, event.begin);
      break;
  }
}

void WallLanes::End(ProcessId process) { recent_.erase(process.value); }

void WallLanes::Advance(HostNs time) {
  for (auto& [key, lane] : lanes_) lane.wall.Advance(time);
}

size_t WallLanes::waiting() const {
  size_t all = 0;
  for (const auto& [key, lane] : lanes_) all += lane.wall.waiting();
  return all;
}

std::vector<WallLane> WallLanes::Finish(const std::vector<HostNs>& ends, HostNs end) {
  std::vector<WallLane> lanes;
  for (auto& [key, lane] : lanes_) {
    const auto [process, device] = key;
    WallLane row;
    row.process = process;
    row.device = device;
    row.begin = std::max<HostNs>(lane.begin, 0);
    row.end = end;
    if (process && process.index() < ends.size() && ends[process.index()] > 0) {
      row.end = std::min(end, ends[process.index()]);
    }
    if (row.begin >= row.end) continue;
    row.parts = lane.wall.Finish(row.begin, row.end);
    row.hidden_communication_ns =
        std::clamp<int64_t>(lane.wall.hidden_communication_ns(), 0, row.end - row.begin);
    lanes.push_back(std::move(row));
  }
  lanes_.clear();
  return lanes;
}

}  // namespace gprofx
