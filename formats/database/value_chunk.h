// Encodes rows of table `value` as chunks (stream "values"), and decodes them. Rows load ten times
// as fast from chunks as by SQL. Column numbers are those of man/gprof-x-format.5. Pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/model/profile.h"
#include "formats/database/chunk.h"

namespace gprofx {

// Encodes 1 to kMaxChunkRows rows as one chunk. Returns an empty result if memory runs out.
std::vector<std::byte> EncodeValues(std::span<const Value> values);

struct ValueLimits {  // maximum ids; a larger id means damage
  size_t nodes = 0, threads = 0, metrics = 0;
};

// Appends the rows of a chunk to `values`. If the bytes are damaged or an id is too large, returns
// false and appends nothing.
bool DecodeValues(ChunkReader& reader, std::span<const std::byte> data, const ValueLimits& limits,
                  std::vector<Value>& values);

}  // namespace gprofx
