// Rows of the streams of core/events/events.h as chunks, and back.
//
// A chunk holds its rows sorted by the first columns (the begin of the events, where they have
// times); columns are numbered from 1. Each column has the encoding that makes fewer bytes of it
// before compression. Pure functions.
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

// By ColumnRole: ids above these are damage; 0 = none is always allowed. kPlain and kTime are not
// looked at.
using EventLimits = std::array<int64_t, kColumnRoles>;

// Fills `columns` (positions from 0, within the stream) of `rows` and empties the others. False if
// the bytes are damaged or an id is out of range; then the rows are of no use.
bool DecodeEvents(ChunkReader& reader, std::span<const std::byte> data,
                  std::span<const size_t> columns, const EventLimits& limits, EventTable& rows);

// Appends `count` rows of `from` to `to`, a table of the same stream. Columns of different length
// are a mistake of the programmer and abort.
void AppendRows(const EventTable& from, size_t begin, size_t count, EventTable& to);

// Appends all of `rows` to `buffer` and calls `flush`, which must empty it, whenever it is a full
// chunk. False as soon as `flush` answers so.
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
