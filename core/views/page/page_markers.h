// Ranges that the program has named, for the time line of a page: a lane for each thread that names
// some, with rows in which none lies upon another; what lies in another range is below it.
//
// Where there are more than kMax the longest stay. Pure; one thread. Memory: 48 bytes a range.
// Times are HostNs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/events/events.h"
#include "core/model/profile.h"

namespace gprofx {

struct PageMarker {
  HostNs start = 0;
  int64_t duration = 0;  // 0 = a moment
  uint32_t lane = 0, row = 0;
  StringId name, domain;
};

struct PageMarkerLane {
  std::string thread;  // its name
  int64_t tid = 0;     // 0 = no thread is known
  uint32_t rows = 0;
};

struct PageMarkers {
  std::vector<PageMarkerLane> lanes;  // those with most ranges first
  std::vector<PageMarker> markers;    // in order of start
  size_t left_out = 0;
};

class PageMarkersBuilder {
 public:
  static constexpr size_t kMax = 20'000, kMaxLanes = 32;
  static constexpr uint32_t kMaxRows = 8;  // of a lane; the last one takes what is left

  PageMarkersBuilder(const Profile& profile, HostNs end) : profile_(profile), end_(end) {}

  // Rows of Stream::kMarkers with the columns of start, duration, thread, name and domain.
  void Add(const EventTable& rows);
  PageMarkers Finish() &&;

 private:
  const Profile& profile_;
  const HostNs end_;
  std::vector<PageMarker> all_;  // lane: the thread
};

}  // namespace gprofx
