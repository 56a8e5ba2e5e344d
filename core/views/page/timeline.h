// The timeline of a recording as rows: phases, GPU streams and host threads over the same time
// bins. Pure.
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
  std::string name;          // of a thread or range, else ""
  int64_t pid = 0, tid = 0;  // of a stream: its process, and 0
  bool is_gpu = false;
  uint32_t gpu = 0, stream = 0;  // as numbered by GpuNumbers() and the process
  bool is_known = true;          // false: unknown stream or thread
  size_t streams = 1;            // number of streams in this row; > 1 after folding
  int64_t busy_ns = 0;
  std::vector<int> percent;  // busy time of each bin, 0 to 100; at least 1 if busy at all
};

struct Timeline {
  TimeRange range;
  size_t bins = 0;
  std::vector<Phase> phases;         // cut to the range
  bool many_processes = false;       // several processes use the GPU
  std::vector<TimelineRow> markers;  // by range name, largest total time first
  std::vector<TimelineRow> rows;     // GPU streams in order, then threads, largest time first
  size_t hidden = 0;                 // thread rows that did not fit
  int64_t hidden_ns = 0;             // their total time, and the largest
  int64_t hidden_largest_ns = 0;
};

// Ranges named by the program, largest total time first.
struct MarkerTable {
  std::vector<MarkerSum> rows;  // all of them; the first `shown` are for printing
  size_t shown = 0;
  bool has_domains = false, has_cpu = false, has_gpu = false;  // of any row
  Rest rest;                                                   // sum of total_ns
};

MarkerTable MakeMarkerTable(const TimelineBins& bins, size_t most);

struct TimelineRoom {
  size_t rows = SIZE_MAX;     // maximum for threads, and for streams
  size_t markers = SIZE_MAX;  // maximum number of range names
  bool fold_streams = false;  // merge the nearly idle streams of a GPU and process
};

Timeline MakeTimeline(const Profile& profile, const TimelineBins& bins, const TimelineRoom& room);

}  // namespace gprofx
