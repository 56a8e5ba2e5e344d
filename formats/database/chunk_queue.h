// Holds sample and event rows until a commit takes them. The thread that writes a commit to the
// file encodes its rows as chunks. Used only inside formats/.
//
// The thread that appends rows also empties the ring buffers of the recorded processes, so it must
// not spend much time on encoding. Rows wait unencoded. If they exceed kMaxRawBytes, Append encodes
// the oldest ones at once, because chunks take a fifth of the space.
//
// Memory is bounded: less than one chunk of rows per stream, kMaxRawBytes of unencoded rows, and
// kMaxWaitingBytes of chunks. Rows that a commit took but has not written yet count towards
// kMaxWaitingBytes. They wait, for example, while the disk is full or slow, or while a reader holds
// a lock on the file. Rows that do not fit are dropped and counted by stream. A ChunkQueue belongs
// to one thread, a ChunkBatch to the thread that holds it.
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

// The unencoded rows of one future chunk: 1 to kMaxChunkRows rows of one stream.
using RowBlock = std::variant<std::vector<SampleRow>, EventTable>;

struct ChunkBatch {
  std::deque<RowBlock> raw;
  std::deque<StreamChunk> chunks;
  // For streams with new rows: total number of rows in the file after this batch.
  std::map<Stream, int64_t> rows;
  std::map<Stream, int64_t> lost;  // rows that could not be encoded for lack of memory

  // Encodes the rows of `raw` and moves them to `chunks`. May throw if memory runs out; rows that
  // are not encoded yet then stay in `raw`.
  void Encode();
  size_t bytes() const;
};

class ChunkQueue {
 public:
  ChunkQueue();

  void Append(std::span<const SampleRow> rows);
  void Append(const EventTable& rows);  // ignores streams that are not in EventStreams()
  void CloseBlocks();                   // makes blocks of all buffered rows, even small ones
  void EncodeAll();                     // calls CloseBlocks and encodes all blocks

  // Takes all closed blocks and encoded chunks. `rows` of the result holds, for each stream in it,
  // the total number of rows in the file once the batch is written. The batch counts towards
  // kMaxWaitingBytes until Written is called.
  ChunkBatch Take();
  // Call one of these after an attempt to write a batch. Waits: the write failed, and the batch
  // still counts towards kMaxWaitingBytes. Written: the batch was written and no longer counts.
  void Waits(const ChunkBatch& batch) { taken_bytes_ = batch.bytes(); }
  void Written(ChunkBatch& batch);
  void CountLost(ChunkBatch& batch);  // counts batch.lost as dropped

  // Returns the number of rows dropped so far. The keys are names of entries in Profile::quality.
  std::map<std::string, int64_t> Dropped() const;

  const std::deque<StreamChunk>& waiting() const { return waiting_; }  // encoded chunks only

 private:
  bool CloseSamples();
  bool CloseEvents(EventTable& buffer);
  void Keep(RowBlock block);
  void EncodeOldest();

  std::vector<SampleRow> samples_;   // less than one chunk
  std::vector<EventTable> events_;   // less than one chunk each, one per stream
  std::deque<RowBlock> raw_;         // closed blocks, not taken yet
  std::deque<StreamChunk> waiting_;  // encoded chunks, not taken yet
  size_t raw_bytes_ = 0, waiting_bytes_ = 0, taken_bytes_ = 0;
  std::map<Stream, int64_t> stored_, dropped_;
};

}  // namespace gprofx
