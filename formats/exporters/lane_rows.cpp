#include "formats/exporters/lane_rows.h"

#include <algorithm>

#include "core/cost/profiling_time.h"
#include "formats/exporters/gpu_work.h"

namespace gprofx::exporters {

LaneRows::LaneRows(Scan scan, size_t lanes, size_t most_rows)
    : scan_(std::move(scan)), most_rows_(most_rows), counts_(lanes) {}

Status LaneRows::Count() {
  return scan_([this](uint32_t lane, const TimedRow&) { ++counts_[lane]; });
}

Status LaneRows::Each(uint32_t lane, const std::function<void(const TimedRow& row)>& sink) {
  if (counts_[lane] == 0) return Ok();
  if (counts_[lane] > most_rows_) {
    return scan_([&](uint32_t at, const TimedRow& row) {
      if (at == lane) sink(row);
    });
  }
  if (lane < first_ || lane >= first_ + held_.size()) {
    if (Status held = Hold(lane); !held) return held;
  }
  for (const TimedRow& row : held_[lane - first_]) sink(row);
  return Ok();
}

// Loads the rows of lane `first` and of as many of the following lanes as fit.
Status LaneRows::Hold(uint32_t first) {
  held_.clear();
  first_ = first;
  size_t room = most_rows_;
  for (uint32_t lane = first; lane < counts_.size() && counts_[lane] <= room; ++lane) {
    room -= counts_[lane];
    held_.emplace_back().reserve(counts_[lane]);
  }
  Status read = scan_([this](uint32_t lane, const TimedRow& row) {
    if (lane >= first_ && lane < first_ + held_.size()) held_[lane - first_].push_back(row);
  });
  if (!read) return read;
  const auto by_time = [](const TimedRow& a, const TimedRow& b) { return a.time < b.time; };
  for (std::vector<TimedRow>& rows : held_) {
    if (!std::is_sorted(rows.begin(), rows.end(), by_time)) {
      std::stable_sort(rows.begin(), rows.end(), by_time);
    }
  }
  return Ok();
}

LaneRows SampleLanes(const ExportJob& job) {
  const auto scan = [&job](const LaneRows::Sink& sink) -> Status {
    const auto write = [&](std::span<const SampleRow> rows) {
      for (const SampleRow& row : rows) {
        sink(row.thread.value, {row.time, row.weight, row.node.value, row.state});
      }
    };
    const Result<int64_t> read =
        job.reader.Samples(job.begin, job.end, WithoutLeftOut(job.profile, write));
    return read ? Ok() : Status(read.error());
  };
  return LaneRows(scan, job.profile.threads.size() + 1);
}

LaneRows WorkLanes(const ExportJob& job) {
  const auto scan = [&job](const LaneRows::Sink& sink) {
    return ForEachGpuWork(job, [&](const GpuWork& work) {
      sink(work.stream, {work.start, work.duration, work.node, work.config});
    });
  };
  return LaneRows(scan, job.profile.gpu.streams.size() + 1);
}

LaneRows MarkLanes(const ExportJob& job) {
  const auto scan = [&job](const LaneRows::Sink& sink) {
    return ForEachHostMark(job, [&](const HostMark& mark) {
      sink(mark.thread,
           {mark.start, mark.duration, static_cast<uint32_t>(mark.kind), mark.name.value});
    });
  };
  return LaneRows(scan, job.profile.threads.size() + 1);
}

}  // namespace gprofx::exporters
