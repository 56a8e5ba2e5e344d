// Chunks of the profile database from any bytes: samples, values, events, and every column number
// there is.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>

#include "formats/database/chunk.h"
#include "formats/database/event_chunk.h"
#include "formats/database/sample_chunk.h"
#include "formats/database/value_chunk.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gprofx;
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  ChunkReader reader;
  if (!reader.Open(bytes)) return 0;
  std::vector<int64_t> numbers;
  for (uint16_t column = 0; column < 16; ++column) {
    if (reader.Decode(column, numbers) && numbers.size() != reader.rows()) abort();
  }
  std::vector<SampleRow> rows;
  if (DecodeSamples(reader, bytes, {4, 1000}, rows)) {
    for (const SampleRow& row : rows) {
      if (row.thread.value < 1 || row.thread.value > 4 || row.node.value < 1 ||
          row.node.value > 1000) {
        abort();
      }
    }
    // What was read must survive being written again.
    std::vector<SampleRow> again;
    if (!rows.empty() && !DecodeSamples(reader, EncodeSamples(rows).data, {4, 1000}, again))
      abort();
  }
  for (const EventStream& stream : EventStreams()) {
    EventTable events(stream.id);
    std::vector<size_t> wanted(stream.columns.size());
    std::iota(wanted.begin(), wanted.end(), size_t{0});
    EventLimits limits;
    limits.fill(1000);
    if (!DecodeEvents(reader, bytes, wanted, limits, events) || events.rows() == 0) continue;
    const size_t count = events.rows();
    const TimedChunk again = EncodeEvents(events);
    if (!DecodeEvents(reader, again.data, wanted, limits, events) || events.rows() != count)
      abort();
  }
  std::vector<Value> values;
  DecodeValues(reader, bytes, {1000, 4, 2}, values);
  return 0;
}
