#include "formats/importers/json/sample_times.h"

#include <algorithm>
#include <span>

namespace gprofx::importers {
namespace {

constexpr size_t kRowsPerBatch = size_t{1} << 16;

void Extend(Thread& thread, HostNs time) {
  const bool is_first = thread.end == 0;
  thread.start = is_first ? time : std::min(thread.start, time);
  // At least 1: an end of 0 means that there was no sample yet.
  thread.end = std::max<HostNs>({thread.end, time, 1});
}

}  // namespace

void SampleTimes::Add(int64_t time_ns, ThreadId thread, NodeId node) {
  SampleRow row;
  row.time = time_ns;
  row.thread = thread;
  row.node = node;
  rows_.push_back(row);
  first_ = std::min(first_, time_ns);
  last_ = std::max(last_, time_ns);
}

Status SampleTimes::Finish(Profile& profile, RowSink& sink) {
  if (rows_.empty()) return Ok();
  std::stable_sort(rows_.begin(), rows_.end(),
                   [](const SampleRow& a, const SampleRow& b) { return a.time < b.time; });
  for (SampleRow& row : rows_) {
    row.time -= first_;
    Extend(profile.threads[row.thread.index()], row.time);
  }
  profile.sample_rows += static_cast<int64_t>(rows_.size());
  profile.meta["duration_ns"] = std::to_string(last_ - first_);
  const std::span<const SampleRow> all = rows_;
  for (size_t at = 0; at < all.size(); at += kRowsPerBatch) {
    const auto batch = all.subspan(at, std::min(kRowsPerBatch, all.size() - at));
    if (Status added = sink.Add(batch, profile); !added) return added;
  }
  return Ok();
}

}  // namespace gprofx::importers
