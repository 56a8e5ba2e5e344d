// Encodes rows of the stream "cpu samples" as a chunk, and decodes them. Column numbers are those
// of man/gprof-x-format.5.
//
// The rows of a chunk are sorted by thread, then by time. This takes a third less space than the
// order of arrival, because samples of one thread are similar. Pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/model/profile.h"
#include "formats/database/chunk.h"

namespace gprofx {

// Returns the chunk of `rows`, which are sorted in place. There must be 1 to kMaxChunkRows rows.
// The chunk has no data if memory runs out.
TimedChunk EncodeSamples(std::span<SampleRow> rows);

struct SampleLimits {  // maximum ids; a larger id means damage
  size_t threads = 0, nodes = 0;
};

// Appends the rows of a chunk to `rows`. If the bytes are damaged or an id is too large, returns
// false and appends nothing.
bool DecodeSamples(ChunkReader& reader, std::span<const std::byte> data, const SampleLimits& limits,
                   std::vector<SampleRow>& rows);

}  // namespace gprofx
