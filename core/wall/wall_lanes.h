// Partitions the wall time of each process on each GPU (a lane) into busy and idle parts, as
// core/wall/wall_partition.h does for the whole run. A lane reaches from the first work of the
// process on that GPU to the end of the process.
//
// The partition of the whole run counts work that overlaps on several devices once. It cannot show
// which of two ranks waits for the other, because the compute work of one hides the communication
// of the other.
//
// Waiting calls, full queues and samples belong to a process and count on each of its GPUs. They
// arrive before the records of the GPU work with which a lane begins. The latest of them are
// therefore kept for future lanes: at most kMaxRecent of each process, and at most an equal share
// of kMaxRecentOfAll. Pure; memory is bounded by kMaxLanes and the partitions' own bounds. One
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/gpu/gpu.h"
#include "core/model/ids.h"
#include "core/wall/wall_partition.h"

namespace gprofx {

class WallLanes {
 public:
  static constexpr size_t kMaxLanes = 256, kMaxRecent = 1 << 15;
  static constexpr size_t kMaxRecentOfAll = 1 << 19;

  // As the functions of WallPartition, but for one process. `device` may be 0 (unknown).
  void AddBusy(ProcessId process, GpuDeviceId device, BusyClass what, HostNs begin, HostNs end);
  void AddWait(ProcessId process, const std::string& call, HostNs begin, HostNs end);
  void AddQueueFull(ProcessId process, HostNs begin, HostNs end);
  void AddSample(ProcessId process, HostClass what, HostNs time, int64_t weight_ns);
  void AddLook(ProcessId process, HostClass what, HostNs time);

  // Call when the process has ended; it then gets no new lanes.
  void End(ProcessId process);
  // As the functions of WallPartition, but for all lanes.
  void Advance(HostNs time);
  size_t waiting() const;
  // Number of operations that got no lane because of kMaxLanes.
  int64_t without_lane() const { return without_lane_; }
  // Returns the lanes in order of process and device. The parts of each add up to its end - begin.
  // `ends` holds the end of each process, by ProcessId::index(); `end` replaces an end that is 0 or
  // missing. The object must not be used afterwards.
  std::vector<WallLane> Finish(const std::vector<HostNs>& ends, HostNs end);

 private:
  struct HostEvent {
    enum Kind : uint8_t { kWait, kQueueFull, kSample, kLook } kind;
    HostClass what;
    HostNs begin, end;  // kSample: `begin` is the time and `end` the weight
    const std::string* call;
  };
  struct Lane {
    HostNs begin = 0;
    WallPartition wall;
  };
  using Key = std::pair<ProcessId, GpuDeviceId>;

  void AddHost(ProcessId process, const HostEvent& event);
  static void Feed(Lane& lane, const HostEvent& event);

  std::map<Key, Lane> lanes_;
  int64_t without_lane_ = 0;
  std::map<uint32_t, std::deque<HostEvent>> recent_;  // host events for future lanes, by process
  std::map<std::string, int> calls_;  // owns the names to which HostEvent::call points
};

}  // namespace gprofx
