// Arranges the ranges that the program has named for the timeline of a page. Each thread with
// ranges has a lane. The ranges of a lane are divided into rows in which they do not overlap;
// nested ranges are in rows below the outer one.
//
// Keeps the longest kMax ranges. Pure; one thread. Memory: 48 bytes per range. Times are HostNs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/events/events.h"
#include "core/model/profile.h"

namespace gprofx {

struct PageMarker {
  HostNs start = 0;
  int64_t duration = 0;  // 0 = an instant
  uint32_t lane = 0, row = 0;
  StringId name, domain;
};

struct PageMarkerLane {
  std::string thread;  // name of the thread
  int64_t tid = 0;     // 0 = unknown thread
  uint32_t rows = 0;
};

struct PageMarkers {
  std::vector<PageMarkerLane> lanes;  // sorted by number of ranges, largest first
  std::vector<PageMarker> markers;    // sorted by start
  size_t left_out = 0;
};

class PageMarkersBuilder {
 public:
  static constexpr size_t kMax = 20'000, kMaxLanes = 32;
  static constexpr uint32_t kMaxRows = 8;  // per lane; the last row takes all further ranges

  PageMarkersBuilder(const Profile& profile, HostNs end) : profile_(profile), end_(end) {}

  // Adds rows of Stream::kMarkers. They must have the columns start, duration, thread, name and
  // domain.
  void Add(const EventTable& rows);
  PageMarkers Finish() &&;

 private:
  const Profile& profile_;
  const HostNs end_;
  std::vector<PageMarker> all_;  // `lane` still contains the ThreadId
};

}  // namespace gprofx
