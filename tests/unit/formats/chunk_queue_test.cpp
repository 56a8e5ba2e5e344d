// Rows between two commits: who encodes them, and how many may wait.
#include "formats/database/chunk_queue.h"

#include <catch2/catch.hpp>
#include <random>

#include "formats/database/event_chunk.h"
#include "formats/database/sample_chunk.h"

namespace gprofx {
namespace {

std::vector<SampleRow> Samples(size_t count) {
  std::vector<SampleRow> rows(count);
  for (size_t i = 0; i < count; ++i) {
    rows[i].time = static_cast<HostNs>(i);
    rows[i].thread = ThreadId{1};
    rows[i].node = NodeId{1};
  }
  return rows;
}

// Numbers that cannot be compressed.
EventTable Kernels(size_t count) {
  EventTable rows(Stream::kKernels);
  std::mt19937_64 random(1);
  for (size_t i = 0; i < rows.columns(); ++i) {
    for (size_t k = 0; k < count; ++k) {
      rows.column(i).push_back(static_cast<int64_t>(random() >> 2));
    }
  }
  return rows;
}

int64_t RowsIn(const ChunkBatch& batch) {
  int64_t sum = 0;
  for (const StreamChunk& waiting : batch.chunks) sum += waiting.chunk.rows;
  return sum;
}

TEST_CASE("rows are handed over as they are, and encoded by whoever takes them") {
  ChunkQueue queue;
  queue.Append(Samples(3 * kMaxChunkRows + 10));
  queue.Append(Kernels(20));
  queue.CloseBlocks();
  ChunkBatch batch = queue.Take();
  CHECK(batch.raw.size() == 5);
  CHECK(batch.chunks.empty());
  CHECK(batch.rows[Stream::kCpuSamples] == 3 * kMaxChunkRows + 10);
  CHECK(batch.rows[Stream::kKernels] == 20);
  const size_t raw_bytes = batch.bytes();
  batch.Encode();
  CHECK(batch.raw.empty());
  CHECK(batch.bytes() < raw_bytes / 10);
  CHECK(RowsIn(batch) == 3 * kMaxChunkRows + 30);
  std::vector<SampleRow> decoded;
  ChunkReader reader;
  for (const StreamChunk& waiting : batch.chunks) {
    if (waiting.stream != Stream::kCpuSamples) continue;
    REQUIRE(DecodeSamples(reader, waiting.chunk.data, {1, 1}, decoded));
  }
  CHECK(decoded.size() == 3 * kMaxChunkRows + 10);
  queue.Written(batch);
  // Rows of the stream go on from there.
  queue.Append(Samples(5));
  queue.CloseBlocks();
  CHECK(queue.Take().rows[Stream::kCpuSamples] == 3 * kMaxChunkRows + 15);
  CHECK(queue.Dropped().empty());
}

TEST_CASE(
    "where nobody takes them, rows are encoded to save room, and at last dropped and counted") {
  ChunkQueue queue;
  const auto samples = Samples(kMaxChunkRows);
  const size_t many = 3 * kMaxRawBytes / (kMaxChunkRows * sizeof(SampleRow));
  for (size_t i = 0; i < many; ++i) queue.Append(samples);
  ChunkBatch first = queue.Take();
  CHECK(first.raw.size() * kMaxChunkRows * sizeof(SampleRow) <= kMaxRawBytes);
  CHECK(first.raw.size() + first.chunks.size() == many);
  CHECK_FALSE(first.chunks.empty());
  CHECK(queue.Dropped().empty());

  // The first batch cannot be written; its bytes are among those that may wait.
  first.Encode();
  queue.Waits(first);
  const EventTable kernels = Kernels(kMaxChunkRows);
  int64_t appended = 0;
  while (queue.Dropped().empty() && appended < 1000 * int64_t{kMaxChunkRows}) {
    queue.Append(kernels);
    appended += kMaxChunkRows;
  }
  const int64_t dropped = queue.Dropped().at("kernels_rows_dropped");
  CHECK(dropped == kMaxChunkRows);
  ChunkBatch second = queue.Take();
  CHECK(second.rows[Stream::kKernels] == appended - dropped);
  CHECK(first.bytes() + second.bytes() <= kMaxWaitingBytes + kMaxRawBytes);
  second.Encode();
  CHECK(RowsIn(second) == appended - dropped);
}

TEST_CASE("rows that there was no memory to encode are counted as dropped, once") {
  ChunkQueue queue;
  queue.Append(Samples(100));
  queue.CloseBlocks();
  ChunkBatch batch = queue.Take();
  batch.Encode();
  batch.lost[Stream::kCpuSamples] += 40;  // as Encode does it
  queue.CountLost(batch);
  queue.Written(batch);
  CHECK(queue.Dropped().at("timeline_rows_dropped") == 40);
  queue.Append(Samples(1));
  queue.CloseBlocks();
  CHECK(queue.Take().rows[Stream::kCpuSamples] == 61);
}

}  // namespace
}  // namespace gprofx
