// Passes on the events of each lane (a thread or a GPU stream) in time order. Used by formats that
// group events by lane: in the file, events are ordered by time over all lanes.
//
// Memory is bounded: lanes are held in groups of at most kMaxRows rows, and the events are read
// again for each group. A lane with more rows is read again each time it is requested. A file of 10
// million events in a few lanes is therefore decoded only a few times.
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
  int64_t duration = 0;  // weight of a sample
  uint32_t node = 0;
  uint32_t about = 0;  // meaning: see SampleLanes, WorkLanes and MarkLanes
};

class LaneRows {
 public:
  static constexpr size_t kMaxRows = 4'000'000;
  using Sink = std::function<void(uint32_t lane, const TimedRow& row)>;
  // Passes all events to `sink`. Each call must pass the same events.
  using Scan = std::function<Status(const Sink& sink)>;

  LaneRows(Scan scan, size_t lanes, size_t most_rows = kMaxRows);

  Status Count();  // call first
  size_t lanes() const { return counts_.size(); }
  size_t rows(uint32_t lane) const { return counts_[lane]; }

  // Passes the rows of a lane to `sink`: in time order, or in file order if there are more than
  // kMaxRows.
  Status Each(uint32_t lane, const std::function<void(const TimedRow& row)>& sink);

 private:
  Status Hold(uint32_t first);

  Scan scan_;
  size_t most_rows_;
  std::vector<size_t> counts_;
  uint32_t first_ = 0;  // number of the lane in held_[0]
  std::vector<std::vector<TimedRow>> held_;
};

// Returns the samples by lane. A lane is a thread, numbered by ThreadId::value; durations are
// sample weights.
LaneRows SampleLanes(const ExportJob& job);
// Returns the GPU work by lane. A lane is a stream, numbered by GpuStreamId::value; `about` is the
// launch configuration.
LaneRows WorkLanes(const ExportJob& job);
// Returns calls and ranges by lane. A lane is a thread; `about` is the name (StringId::value) and
// `node` the HostMark::Kind.
LaneRows MarkLanes(const ExportJob& job);

}  // namespace gprofx::exporters
