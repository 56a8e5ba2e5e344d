// When the GPU's streams and the host's threads were busy: time of a range in bins of equal length;
// with it what the program did in ranges of its own.
//
// Work on one stream that overlaps counts once for each piece, so a bin may hold more than its
// length. A CPU sample stands for the time before it that it weighs; waiting is left out. Pure; one
// thread. Memory: bins times rows, of which there are at most kMaxRows: what comes when there is no
// room for one more row goes to the last one of its kind, without an id.
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
    ThreadId thread;     // of a row of CPU time; both 0 = of those for which there was no room
    bool is_gpu = false;
    int64_t busy_ns = 0;        // all bins
    std::vector<int64_t> bins;  // ns
  };
  TimeRange range;
  size_t bins = 0;
  std::vector<Row> rows;
  std::vector<MarkerSum> markers;  // ranges that the program has named
};

// Adds what of [begin, end) lies in the range to the bins that divide it. Returns how much that is.
int64_t SpreadOverBins(TimeRange range, HostNs begin, HostNs end, std::vector<int64_t>& bins);

class TimelineBinner {
 public:
  static constexpr size_t kMaxRows = 4096;

  // `bins` at least 1, the range not empty.
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
