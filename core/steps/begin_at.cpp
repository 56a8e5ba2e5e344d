#include "core/steps/begin_at.h"

#include <algorithm>
#include <cstdlib>
#include <string>

namespace gprofx {
namespace {

template <class Row>
void MoveLife(Row& row, HostNs begin) {
  row.start = std::max<HostNs>(row.start - begin, 0);
  if (row.end != 0) row.end = std::max(row.end - begin, kEndedBefore);
}

}  // namespace

void BeginAt(HostNs begin, HostNs end, Profile& profile) {
  for (Process& process : profile.processes) MoveLife(process, begin);
  for (Thread& thread : profile.threads) MoveLife(thread, begin);
  for (WallLane& lane : profile.gpu.lanes) {
    lane.begin = std::max<HostNs>(lane.begin - begin, 0);
    lane.end = std::max<HostNs>(lane.end - begin, lane.begin);
  }
  if (const auto start = profile.meta.find("start_realtime_ns"); start != profile.meta.end()) {
    start->second = std::to_string(std::strtoll(start->second.c_str(), nullptr, 10) + begin);
  }
  profile.meta["duration_ns"] = std::to_string(end - begin);
}

}  // namespace gprofx
