// Encodes rows of the streams of core/events/events.h as chunks, and decodes them.
//
// The rows of a chunk are sorted by its first columns (the begin of the events, if they have
// times). Columns are numbered from 1. Each column has the encoding that is smaller before
// compression. Pure functions.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "core/events/events.h"
#include "formats/database/chunk.h"

namespace gprofx {

// Sorts `rows` in place. There must be 1 to kMaxChunkRows of them.
TimedChunk EncodeEvents(EventTable& rows);

// The maximum id for each ColumnRole; a larger id means damage. 0 (none) is always allowed. kPlain
// and kTime are not checked.
using EventLimits = std::array<int64_t, kColumnRoles>;

// Fills `columns` (indices from 0, within the stream) of `rows` and empties the others. Returns
// false if the bytes are damaged or an id is out of range; the rows are then undefined.
bool DecodeEvents(ChunkReader& reader, std::span<const std::byte> data,
                  std::span<const size_t> columns, const EventLimits& limits, EventTable& rows);

// Appends `count` rows of `from`, starting at `begin`, to `to`, a table of the same stream. Aborts
// if the columns differ in length, which is a programming error.
void AppendRows(const EventTable& from, size_t begin, size_t count, EventTable& to);

// Appends all of `rows` to `buffer` and calls `flush`, which must empty it, whenever it holds a
// full chunk. Returns false as soon as `flush` does.
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
