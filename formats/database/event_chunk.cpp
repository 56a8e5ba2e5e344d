#include "formats/database/event_chunk.h"

#include <cstdlib>
#include <numeric>

#include "core/base/arithmetic.h"
#include "core/base/varint.h"

namespace gprofx {
namespace {

constexpr size_t kSortColumns = 3;

bool IsSorted(const std::vector<int64_t>& values) {
  return std::is_sorted(values.begin(), values.end());
}

// Sorts the rows by the first kSortColumns columns, in lexicographic order.
void SortRows(EventTable& rows) {
  std::vector<uint32_t> order(rows.rows());
  std::iota(order.begin(), order.end(), 0U);
  const size_t keys = std::min(kSortColumns, rows.columns());
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    for (size_t i = 0; i < keys; ++i) {
      const std::vector<int64_t>& key = rows.column(i);
      if (key[a] != key[b]) return key[a] < key[b];
    }
    return a < b;
  });
  std::vector<int64_t> sorted(order.size());
  for (size_t i = 0; i < rows.columns(); ++i) {
    std::vector<int64_t>& column = rows.column(i);
    for (size_t k = 0; k < order.size(); ++k) sorted[k] = column[order[k]];
    column.swap(sorted);
  }
}

ColumnEncoding SmallerEncoding(std::span<const int64_t> values) {
  size_t plain = 0, delta = 0;
  int64_t before = 0;
  for (const int64_t value : values) {
    plain += VarintSize(static_cast<uint64_t>(value));
    delta += VarintSize(ZigZagDifference(value, before));
    before = value;
  }
  return delta < plain ? ColumnEncoding::kDelta : ColumnEncoding::kVarint;
}

bool IsWithin(const std::vector<int64_t>& ids, int64_t limit) {
  return std::all_of(ids.begin(), ids.end(), [=](int64_t id) { return id >= 0 && id <= limit; });
}

// Returns the latest time that the rows describe. For level windows (core/gpu/level_windows.h) it
// is the latest end, because a window describes all the time in it. For other rows it is the latest
// begin, because readers select rows by their begin.
int64_t ReachOf(const EventTable& rows) {
  int64_t reach = rows.column(0).back();
  if (rows.stream() != Stream::kGpuLevels) return reach;
  for (size_t i = 0, all = rows.rows(); i < all; ++i) {
    reach = std::max(reach, AddSaturated(rows.column(column::kLevelStart)[i],
                                         rows.column(column::kLevelDuration)[i]));
  }
  return reach;
}

}  // namespace

TimedChunk EncodeEvents(EventTable& rows) {
  const EventStream& stream = *FindEventStream(rows.stream());
  if (!stream.has_times || !IsSorted(rows.column(0))) SortRows(rows);
  TimedChunk chunk;
  chunk.rows = static_cast<uint32_t>(rows.rows());
  if (stream.has_times) {
    chunk.begin = rows.column(0).front();
    chunk.end = rows.column(0).back();
    chunk.reaches = ReachOf(rows);
  }
  std::vector<ChunkColumn> columns;
  for (size_t i = 0; i < rows.columns(); ++i) {
    columns.push_back(
        {static_cast<uint16_t>(i + 1), SmallerEncoding(rows.column(i)), rows.column(i)});
  }
  chunk.data = EncodeChunk(columns);
  return chunk;
}

bool DecodeEvents(ChunkReader& reader, std::span<const std::byte> data,
                  std::span<const size_t> columns, const EventLimits& limits, EventTable& rows) {
  if (!reader.Open(data)) return false;
  // Clear only the columns that are not decoded. Decode sets the length of the others; if they were
  // cleared first, it would have to initialize their memory again.
  for (size_t i = 0; i < rows.columns(); ++i) {
    if (std::find(columns.begin(), columns.end(), i) == columns.end()) rows.column(i).clear();
  }
  const EventStream& stream = *FindEventStream(rows.stream());
  for (const size_t i : columns) {
    if (!reader.Decode(static_cast<uint16_t>(i + 1), rows.column(i))) return false;
    const ColumnRole role = stream.columns[i].role;
    if (role == ColumnRole::kPlain || role == ColumnRole::kTime) continue;
    if (!IsWithin(rows.column(i), limits[static_cast<size_t>(role)])) return false;
  }
  return true;
}

void AppendRows(const EventTable& from, size_t begin, size_t count, EventTable& to) {
  const size_t rows = from.rows();
  if (from.stream() != to.stream() || begin > rows || count > rows - begin) std::abort();
  for (size_t i = 0; i < from.columns(); ++i) {
    const std::vector<int64_t>& source = from.column(i);
    if (source.size() != rows) std::abort();
    const auto first = source.begin() + static_cast<std::ptrdiff_t>(begin);
    to.column(i).insert(to.column(i).end(), first, first + static_cast<std::ptrdiff_t>(count));
  }
}

}  // namespace gprofx
