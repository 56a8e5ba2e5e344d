// Encodes rows of event streams (core/events/events.h) as chunks, and decodes them.
//
// Rows are sorted within their chunk: by the begin of the events, which is the first column, or by
// their first columns if the stream has no times. Columns are numbered from 1. Each column uses the
// encoding that takes fewer bytes before compression. Pure functions.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "core/events/events.h"
#include "formats/database/chunk.h"

namespace gprofx {

// Returns the chunk of `rows`, which are sorted in place. There must be 1 to kMaxChunkRows rows.
// The chunk has no data if memory runs out.
TimedChunk EncodeEvents(EventTable& rows);

// Maximum ids, by ColumnRole of a column. A larger id means that the chunk is damaged. The id 0
// (none) is always allowed. Columns of the roles kPlain and kTime are not checked.
using EventLimits = std::array<int64_t, kColumnRoles>;

// Decodes the columns in `columns` (indices from 0) of a chunk into `rows`, and empties the other
// columns of `rows`. Returns false if the bytes are damaged or an id exceeds `limits`; `rows` is
// then undefined.
bool DecodeEvents(ChunkReader& reader, std::span<const std::byte> data,
                  std::span<const size_t> columns, const EventLimits& limits, EventTable& rows);

// Appends `count` rows of `from`, starting at row `begin`, to `to`. Both must be tables of the same
// stream. Aborts if the columns differ in length, which is a programming error.
void AppendRows(const EventTable& from, size_t begin, size_t count, EventTable& to);

// Appends all of `rows` to `buffer`. Whenever `buffer` holds a full chunk, calls `flush`, which
// must empty it. Returns false as soon as `flush` does.
template <class Flush>
bool FillChunks(const EventTable& rows, EventTable& buffer, Flush flush) {
  for (size_t at = 0; at < rows.rows();) {
    const size_t count = std::min(kMaxChunkRows - buffer.rows(), rows.rows() - at);
    AppendRows(rows, at, count, buffer);
    at += count;
    if (buffer.rows() == kMaxChunkRows && !flush()) return false;
  }
  return true;
}

}  // namespace gprofx
