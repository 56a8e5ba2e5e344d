// Computes how busy GPU streams and host threads were over time. The time range is divided into
// bins of equal length. The result also holds the sums of the ranges that the program named
// (markers).
//
// Overlapping operations of one stream are each counted, so a bin may hold more than its length. A
// CPU sample counts as work in the time of its weight before the sample; samples of waiting threads
// are left out. Pure; one thread. Memory: bins times rows. There are at most kMaxRows rows, plus
// one of each kind that collects the rest and has no id.
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
    GpuStreamId stream;  // row of GPU work; 0 = unknown stream, or the row of the rest
    ThreadId thread;     // row of CPU time; 0 = the row of the rest
    bool is_gpu = false;
    int64_t busy_ns = 0;        // sum over all bins
    std::vector<int64_t> bins;  // ns
  };
  TimeRange range;
  size_t bins = 0;
  std::vector<Row> rows;
  std::vector<MarkerSum> markers;  // ranges named by the program
};

// Adds the time of [begin, end) within `range` to `bins`, which divide `range` equally. Returns the
// ns that it added.
int64_t SpreadOverBins(TimeRange range, HostNs begin, HostNs end, std::vector<int64_t>& bins);

class TimelineBinner {
 public:
  static constexpr size_t kMaxRows = 4096;

  // Divides `range`, which must not be empty, into `bins` bins, at least 1.
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
