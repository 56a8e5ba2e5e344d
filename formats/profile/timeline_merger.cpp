#include "formats/profile/timeline_merger.h"

#include <numeric>

#include "formats/database/event_chunk.h"
#include "formats/database/sample_chunk.h"

namespace gprofx {
namespace {

// Cuts level windows that begin before `from` and end after it: they then begin at `from`. They are
// not dropped, because a window says for all of its time whether records were made. The launches of
// a window are assumed to be evenly spread over it.
void ClipLevels(HostNs from, EventTable& rows) {
  for (size_t i = 0, all = rows.rows(); i < all; ++i) {
    int64_t& begin = rows.column(column::kLevelStart)[i];
    int64_t& duration = rows.column(column::kLevelDuration)[i];
    const int64_t left = begin + duration - from;
    if (begin >= from || left <= 0) continue;
    int64_t& launches = rows.column(column::kLevelLaunches)[i];
    launches = static_cast<int64_t>(static_cast<double>(launches) * static_cast<double>(left) /
                                    static_cast<double>(duration));
    begin = from;
    duration = left;
  }
}

}  // namespace

TimelineMerger::TimelineMerger(sqlite3* db, const std::vector<NodeId>& node_of,
                               std::optional<HostNs> from)
    : table_(db), node_of_(node_of), from_(from) {
  for (const EventStream& stream : EventStreams()) events_.emplace_back(stream.id);
}

bool TimelineMerger::Copy(Stream stream, std::span<const std::byte> data) {
  if (stream == Stream::kCpuSamples) return CopySamples(data);
  for (EventTable& buffer : events_) {
    if (buffer.stream() == stream) return CopyEvents(buffer, data);
  }
  return false;
}

bool TimelineMerger::CopySamples(std::span<const std::byte> data) {
  const SampleLimits limits{UINT32_MAX, node_of_.empty() ? UINT32_MAX : node_of_.size()};
  std::vector<SampleRow> batch;
  if (!DecodeSamples(reader_, data, limits, batch)) return false;
  for (SampleRow& row : batch) {
    if (from_ && row.time < *from_) continue;
    row.time -= from_.value_or(0);
    if (!node_of_.empty()) row.node = node_of_[row.node.index()];
    samples_.push_back(row);
    if (samples_.size() == kMaxChunkRows && !FlushSamples()) return false;
  }
  return true;
}

bool TimelineMerger::CopyEvents(EventTable& buffer, std::span<const std::byte> data) {
  EventLimits limits;
  limits.fill(UINT32_MAX);
  if (!node_of_.empty()) {
    limits[static_cast<size_t>(ColumnRole::kNode)] = static_cast<int64_t>(node_of_.size());
  }
  EventTable rows(buffer.stream());
  std::vector<size_t> columns(rows.columns());
  std::iota(columns.begin(), columns.end(), size_t{0});
  if (!DecodeEvents(reader_, data, columns, limits, rows)) return false;
  const EventStream& stream = *FindEventStream(buffer.stream());
  for (size_t i = 0; i < rows.columns() && !node_of_.empty(); ++i) {
    if (stream.columns[i].role != ColumnRole::kNode) continue;
    for (int64_t& node : rows.column(i)) {
      if (node != 0) node = node_of_[static_cast<size_t>(node - 1)].value;
    }
  }
  if (from_ && stream.has_times) Cut(rows);
  return AddTo(buffer, rows);
}

void TimelineMerger::Cut(EventTable& rows) const {
  if (rows.stream() == Stream::kGpuLevels) ClipLevels(*from_, rows);
  const std::span<const EventColumn> columns = FindEventStream(rows.stream())->columns;
  const std::vector<int64_t> begins = rows.column(0);
  for (size_t i = 0; i < rows.columns(); ++i) {
    std::vector<int64_t>& column = rows.column(i);
    size_t kept = 0;
    for (size_t row = 0; row < begins.size(); ++row) {
      if (begins[row] < *from_) continue;
      // Move the times. In any column except the first, 0 means that the time is unknown, and it
      // stays 0.
      const bool moves = columns[i].role == ColumnRole::kTime && (i == 0 || column[row] != 0);
      column[kept++] = column[row] - (moves ? *from_ : 0);
    }
    column.resize(kept);
  }
}

bool TimelineMerger::Add(const EventTable& rows) {
  for (EventTable& buffer : events_) {
    if (buffer.stream() == rows.stream()) return AddTo(buffer, rows);
  }
  return false;
}

bool TimelineMerger::AddTo(EventTable& buffer, const EventTable& rows) {
  return FillChunks(rows, buffer, [&] { return Flush(buffer); });
}

bool TimelineMerger::FlushSamples() {
  const bool done = table_.Insert(Stream::kCpuSamples, EncodeSamples(samples_));
  rows_[Stream::kCpuSamples] += static_cast<int64_t>(samples_.size());
  samples_.clear();
  return done;
}

bool TimelineMerger::Flush(EventTable& buffer) {
  const bool done = table_.Insert(buffer.stream(), EncodeEvents(buffer));
  rows_[buffer.stream()] += static_cast<int64_t>(buffer.rows());
  buffer.Clear();
  return done;
}

bool TimelineMerger::Finish() {
  if (!samples_.empty() && !FlushSamples()) return false;
  for (EventTable& buffer : events_) {
    if (buffer.rows() != 0 && !Flush(buffer)) return false;
  }
  for (const auto& [stream, count] : rows_) {
    if (!table_.SetRows(stream, count)) return false;
  }
  return true;
}

}  // namespace gprofx
