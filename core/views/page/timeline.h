// Builds the timeline of a recording as rows: phases, GPU streams and host threads over the same
// time bins. Pure.
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
  std::string name;          // of a thread or of a range; otherwise ""
  int64_t pid = 0, tid = 0;  // of a stream: the pid of its process, and tid 0
  bool is_gpu = false;
  uint32_t gpu = 0, stream = 0;  // GPU number as by GpuNumbers(), stream number in the process
  bool is_known = true;          // false: unknown stream or thread
  size_t streams = 1;            // number of streams merged into this row
  int64_t busy_ns = 0;
  // Share of each bin that was busy, 0 to 100; at least 1 if it was busy at all.
  std::vector<int> percent;
};

struct Timeline {
  TimeRange range;
  size_t bins = 0;
  std::vector<Phase> phases;         // cut to the range
  bool many_processes = false;       // several processes use GPUs
  std::vector<TimelineRow> markers;  // one row per range name, largest total time first
  // GPU streams sorted by GPU, process and number, then threads sorted by time, largest first.
  std::vector<TimelineRow> rows;
  size_t hidden = 0;              // number of rows that did not fit
  int64_t hidden_ns = 0;          // sum of their times
  int64_t hidden_largest_ns = 0;  // the largest of their times
};

// The ranges that the program has named, summed by name, largest total time first.
struct MarkerTable {
  std::vector<MarkerSum> rows;  // all rows; the first `shown` are printed
  size_t shown = 0;
  // True if some row has a domain, CPU time, or GPU operations, respectively.
  bool has_domains = false, has_cpu = false, has_gpu = false;
  Rest rest;  // sum of total_ns
};

MarkerTable MakeMarkerTable(const TimelineBins& bins, size_t most);

struct TimelineRoom {
  size_t rows = SIZE_MAX;     // maximum number of threads, and of streams
  size_t markers = SIZE_MAX;  // maximum number of range names
  bool fold_streams = false;  // merge the nearly idle streams of a GPU and process
};

Timeline MakeTimeline(const Profile& profile, const TimelineBins& bins, const TimelineRoom& room);

}  // namespace gprofx
