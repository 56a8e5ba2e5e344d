// Adds samples that have times to a profile. Writes their rows in the order of time and sets begin
// and end of their threads. Pure; one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/model/profile.h"
#include "formats/importers/row_sink.h"

namespace gprofx::importers {

class SampleTimes {
 public:
  void Add(int64_t time_ns, ThreadId thread, NodeId node);
  bool empty() const { return rows_.empty(); }
  int64_t first() const { return first_; }

  // Writes the rows. Call after the last sample. In the profile, the first sample is at time 0.
  Status Finish(Profile& profile, RowSink& sink);

 private:
  std::vector<SampleRow> rows_;
  int64_t first_ = INT64_MAX, last_ = 0;
};

}  // namespace gprofx::importers
