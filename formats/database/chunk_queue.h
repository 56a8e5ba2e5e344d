// Rows of samples and events between two commits: buffered, kept until a commit takes them, closed
// into chunks by the thread that writes it. Used inside formats/ only.
//
// Encoding costs time that the thread that drains needs for its rings, so rows wait as they are;
// only kMaxRawBytes of them, then they are encoded at once, which takes a fifth of the room.
// Memory is bounded: at most one chunk of rows for each stream, the raw ones, and kMaxWaitingBytes
// of chunks, those that a commit took and did not yet write among them (disk full, a slow disk, a
// reader that keeps the file locked). What does not fit is dropped and counted by stream. The queue
// is for one thread; a batch belongs to whoever has it.
#pragma once

#include <deque>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/events/events.h"
#include "core/model/profile.h"
#include "formats/database/chunk_table.h"

namespace gprofx {

constexpr size_t kMaxWaitingBytes = size_t{64} << 20;
constexpr size_t kMaxRawBytes = size_t{16} << 20;

struct StreamChunk {
  Stream stream = Stream::kCpuSamples;
  TimedChunk chunk;
};

// Rows for one chunk, not encoded yet: 1 to kMaxChunkRows of them.
using RowBlock = std::variant<std::vector<SampleRow>, EventTable>;

struct ChunkBatch {
  std::deque<RowBlock> raw;
  std::deque<StreamChunk> chunks;
  std::map<Stream, int64_t> rows;  // of the streams that gained some: all that are stored then
  std::map<Stream, int64_t> lost;  // there was no memory to encode them

  // `raw` becomes `chunks`. May throw for lack of memory; then the rest is still raw.
  void Encode();
  size_t bytes() const;
};

class ChunkQueue {
 public:
  ChunkQueue();

  void Append(std::span<const SampleRow> rows);
  void Append(const EventTable& rows);  // tables of other streams than EventStreams() are ignored
  void CloseBlocks();                   // buffered rows become blocks, whatever their number
  void EncodeAll();                     // likewise, and all blocks chunks

  // All closed blocks, and how many rows each stream has stored once they are written. They count
  // as waiting until Written.
  ChunkBatch Take();
  void Waits(const ChunkBatch& batch) { taken_bytes_ = batch.bytes(); }  // it could not be written
  void Written(ChunkBatch& batch);
  void CountLost(ChunkBatch& batch);  // once

  // What was dropped so far, as entries of `quality`.
  std::map<std::string, int64_t> Dropped() const;

  const std::deque<StreamChunk>& waiting() const { return waiting_; }  // of what is encoded

 private:
  bool CloseSamples();
  bool CloseEvents(EventTable& buffer);
  void Keep(RowBlock block);
  void EncodeOldest();

  std::vector<SampleRow> samples_;   // fewer than a chunk
  std::vector<EventTable> events_;   // likewise, one per stream
  std::deque<RowBlock> raw_;         // closed, not yet taken
  std::deque<StreamChunk> waiting_;  // likewise, encoded
  size_t raw_bytes_ = 0, waiting_bytes_ = 0, taken_bytes_ = 0;
  std::map<Stream, int64_t> stored_, dropped_;
};

}  // namespace gprofx
