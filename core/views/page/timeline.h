// The timeline of a recording as rows: phases, the GPU's streams, the host's threads, over the same
// bins of time. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/profile.h"
#include "core/steps/phases.h"
#include "core/views/rest.h"
#include "core/wall/timeline_bins.h"

namespace gprofx {

struct TimelineRow {
  std::string name;          // of a thread or of ranges, else ""
  int64_t pid = 0, tid = 0;  // of a stream: of its process, 0
  bool is_gpu = false;
  uint32_t gpu = 0, stream = 0;  // as GpuNumbers() and the process count them
  bool is_known = true;          // false: work on no known stream, time of no known thread
  size_t streams = 1;            // that this row is of; more than one after folding
  int64_t busy_ns = 0;
  std::vector<int> percent;  // of each bin that it was busy, 0 to 100; what is busy at all is not 0
};

struct Timeline {
  TimeRange range;
  size_t bins = 0;
  std::vector<Phase> phases;         // cut to the range
  bool many_processes = false;       // use the GPU
  std::vector<TimelineRow> markers;  // names of ranges, the one with most time first
  std::vector<TimelineRow> rows;     // GPU streams in order, then threads with most time first
  size_t hidden = 0;                 // rows of threads for which there was no room
  int64_t hidden_ns = 0;             // their time, and the most that one of them has
  int64_t hidden_largest_ns = 0;
};

// Ranges that the program has named, the one with most time first.
struct MarkerTable {
  std::vector<MarkerSum> rows;  // all of them; the first `shown` are for printing
  size_t shown = 0;
  bool has_domains = false, has_cpu = false, has_gpu = false;  // of some row
  Rest rest;                                                   // of total_ns
};

MarkerTable MakeMarkerTable(const TimelineBins& bins, size_t most);

struct TimelineRoom {
  size_t rows = SIZE_MAX;     // of threads, and of streams
  size_t markers = SIZE_MAX;  // names of ranges
  bool fold_streams = false;  // of a GPU and process those that were hardly busy are one row
};

Timeline MakeTimeline(const Profile& profile, const TimelineBins& bins, const TimelineRoom& room);

}  // namespace gprofx
