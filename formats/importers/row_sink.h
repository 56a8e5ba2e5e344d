// Defines the interface that receives the rows of an imported trace. Rows arrive while the trace is
// still being read.
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "core/base/result.h"
#include "core/events/events.h"
#include "core/model/profile.h"

namespace gprofx::importers {

class RowSink {
 public:
  virtual ~RowSink() = default;

  Status Add(const EventTable& rows, const Profile& profile) {
    rows_[rows.stream()] += static_cast<int64_t>(rows.rows());
    return Write(rows, profile);
  }
  Status Add(std::span<const SampleRow> rows, const Profile& profile) {
    rows_[Stream::kCpuSamples] += static_cast<int64_t>(rows.size());
    return Write(rows, profile);
  }
  const std::map<Stream, int64_t>& rows() const { return rows_; }

 private:
  virtual Status Write(const EventTable& rows, const Profile& profile) = 0;
  virtual Status Write(std::span<const SampleRow> rows, const Profile& profile) = 0;

  std::map<Stream, int64_t> rows_;
};

// Counts the rows and drops them.
class CountingSink final : public RowSink {
  Status Write(const EventTable&, const Profile&) override { return Ok(); }
  Status Write(std::span<const SampleRow>, const Profile&) override { return Ok(); }
};

}  // namespace gprofx::importers
