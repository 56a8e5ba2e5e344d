// Computes how busy GPU streams and host threads were over time: a range is divided into bins of
// equal length. Also holds the ranges that the program named.
//
// Work that overlaps on one stream counts once per operation, so a bin may hold more than its
// length. A CPU sample counts as the time of its weight before it; samples of waiting are left out.
// Pure; one thread. Memory: bins times rows. There are at most kMaxRows rows. Further data goes to
// the last row of its kind, which has no id.
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
    GpuStreamId stream;  // of a row of GPU work; 0 = unknown or the last row
    ThreadId thread;     // of a row of CPU time; 0 = the last row
    bool is_gpu = false;
    int64_t busy_ns = 0;        // sum over all bins
    std::vector<int64_t> bins;  // ns
  };
  TimeRange range;
  size_t bins = 0;
  std::vector<Row> rows;
  std::vector<MarkerSum> markers;  // ranges named by the program
};

// Adds the time of [begin, end) that lies in `range` to `bins`, which divide the range equally.
// Returns the length of that time.
int64_t SpreadOverBins(TimeRange range, HostNs begin, HostNs end, std::vector<int64_t>& bins);

class TimelineBinner {
 public:
  static constexpr size_t kMaxRows = 4096;

  // `bins` must be at least 1 and the range must not be empty.
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
