// The events of each lane (a thread, a stream of a GPU) in the order of time, for formats that keep
// them together, out of a file that keeps them by time.
//
// The events are read as often as it takes: lanes are held in memory in groups of at most kMaxRows
// rows, and a lane that is larger is read anew each time it is asked for. So memory is bounded, and
// for 10 million events in a few lanes the file is decoded a handful of times.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/result.h"
#include "core/model/ids.h"
#include "formats/exporters/exporter.h"

namespace gprofx::exporters {

struct TimedRow {
  HostNs time = 0;
  int64_t duration = 0;  // of a sample its weight
  uint32_t node = 0;
  uint32_t about = 0;  // what the scan makes it
};

class LaneRows {
 public:
  static constexpr size_t kMaxRows = 4'000'000;
  using Sink = std::function<void(uint32_t lane, const TimedRow& row)>;
  using Scan = std::function<Status(const Sink& sink)>;  // all events; the same ones each time

  LaneRows(Scan scan, size_t lanes, size_t most_rows = kMaxRows);

  Status Count();  // first
  size_t lanes() const { return counts_.size(); }
  size_t rows(uint32_t lane) const { return counts_[lane]; }

  // The rows of a lane, in the order of time; of a lane above kMaxRows in that of the file.
  Status Each(uint32_t lane, const std::function<void(const TimedRow& row)>& sink);

 private:
  Status Hold(uint32_t first);

  Scan scan_;
  size_t most_rows_;
  std::vector<size_t> counts_;
  uint32_t first_ = 0;  // the lane of held_[0]
  std::vector<std::vector<TimedRow>> held_;
};

// Lanes are threads, by ThreadId::value; durations are weights.
LaneRows SampleLanes(const ExportJob& job);
// Lanes are streams, by GpuStreamId::value; `about` is the launch configuration.
LaneRows WorkLanes(const ExportJob& job);
// Lanes are threads; `about` is the name, a StringId::value, and `node` the HostMark::Kind.
LaneRows MarkLanes(const ExportJob& job);

}  // namespace gprofx::exporters
