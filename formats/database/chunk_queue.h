// Buffers sample and event rows between two commits. A commit takes the rows, and the thread that
// writes them to the file encodes them as chunks. Used only inside formats/.
//
// The thread that appends rows also empties the ring buffers of the recorded processes, so it must
// not spend its time on encoding. Rows wait unencoded; beyond kMaxRawBytes the oldest are encoded
// immediately, which takes a fifth of the space.
//
// Memory is bounded: less than one chunk of rows per stream, kMaxRawBytes of unencoded rows, and
// kMaxWaitingBytes of chunks. What a commit took but has not written yet (full disk, slow disk, a
// reader that holds a lock on the file) counts towards kMaxWaitingBytes. Rows that do not fit are
// dropped and counted by stream. The queue is for one thread. A ChunkBatch belongs to the thread
// that holds it.
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

// Unencoded rows for one chunk: 1 to kMaxChunkRows.
using RowBlock = std::variant<std::vector<SampleRow>, EventTable>;

struct ChunkBatch {
  std::deque<RowBlock> raw;
  std::deque<StreamChunk> chunks;
  std::map<Stream, int64_t> rows;  // for streams with new rows: total stored after this batch
  std::map<Stream, int64_t> lost;  // rows that could not be encoded for lack of memory

  // Encodes `raw` into `chunks`. May throw if memory runs out; the rest then stays raw.
  void Encode();
  size_t bytes() const;
};

class ChunkQueue {
 public:
  ChunkQueue();

  void Append(std::span<const SampleRow> rows);
  void Append(const EventTable& rows);  // ignores tables of streams not in EventStreams()
  void CloseBlocks();                   // turns buffered rows into blocks, even small ones
  void EncodeAll();                     // calls CloseBlocks and encodes all blocks as chunks

  // Takes all closed blocks and encoded chunks. `rows` of the result is, by stream, the total
  // number of rows in the file once the batch is written. Until Written is called, the batch counts
  // towards kMaxWaitingBytes.
  ChunkBatch Take();
  void Waits(const ChunkBatch& batch) { taken_bytes_ = batch.bytes(); }  // after a failed write
  void Written(ChunkBatch& batch);
  void CountLost(ChunkBatch& batch);  // call once

  // Returns the number of rows dropped so far, by the name of their entry in Profile::quality.
  std::map<std::string, int64_t> Dropped() const;

  const std::deque<StreamChunk>& waiting() const { return waiting_; }  // encoded chunks only

 private:
  bool CloseSamples();
  bool CloseEvents(EventTable& buffer);
  void Keep(RowBlock block);
  void EncodeOldest();

  std::vector<SampleRow> samples_;   // less than one chunk
  std::vector<EventTable> events_;   // less than one chunk each, one per stream
  std::deque<RowBlock> raw_;         // closed, not taken yet
  std::deque<StreamChunk> waiting_;  // the same, encoded
  size_t raw_bytes_ = 0, waiting_bytes_ = 0, taken_bytes_ = 0;
  std::map<Stream, int64_t> stored_, dropped_;
};

}  // namespace gprofx
