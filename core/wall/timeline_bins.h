// Busy times of GPU streams and host threads: the time of a range in bins of equal length, together
// with the ranges that the program named.
//
// Overlapping work on one stream counts once per piece, so a bin may hold more than its length. A
// CPU sample stands for the time of its weight before it; waiting is left out. Pure; one thread.
// Memory: bins times rows. There are at most kMaxRows rows; further data goes to the last row of
// its kind, which has no id.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/events/marker_sums.h"
#include "core/model/ids.h"
#include "core/model/profile.h"
#include "core/steps/phases.h"

namespace gprofx {

struct TimelineBins {
  struct Row {
    GpuStreamId stream;  // of a row of GPU work
    ThreadId thread;     // of a row of CPU time; both 0 = the overflow row
    bool is_gpu = false;
    int64_t busy_ns = 0;        // all bins
    std::vector<int64_t> bins;  // ns
  };
  TimeRange range;
  size_t bins = 0;
  std::vector<Row> rows;
  std::vector<MarkerSum> markers;  // ranges named by the program
};

// Adds to `bins`, which divide `range` equally, the time of [begin, end) that lies in the range.
// Returns the length of that time.
int64_t SpreadOverBins(TimeRange range, HostNs begin, HostNs end, std::vector<int64_t>& bins);

class TimelineBinner {
 public:
  static constexpr size_t kMaxRows = 4096;

  // `bins` is at least 1, the range is not empty.
  TimelineBinner(TimeRange range, size_t bins);

  void AddOperations(std::span<const PhaseOperation> operations);
  void AddSamples(std::span<const SampleRow> samples);
  TimelineBins Finish() &&;

 private:
  TimelineBins::Row& RowOf(bool is_gpu, uint32_t id);
  void Spread(TimelineBins::Row& row, HostNs begin, HostNs end) const;

  TimelineBins out_;
  std::map<std::pair<bool, uint32_t>, size_t> index_;
};

}  // namespace gprofx
