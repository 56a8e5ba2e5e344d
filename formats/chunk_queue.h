// Rows of samples and events between two commits: buffered, closed into chunks, kept until a commit
// takes them. Used inside formats/ only.
//
// Memory is bounded: at most one chunk of rows for each stream, and kMaxWaitingBytes of chunks,
// those that a commit took and did not yet write among them (disk full, a slow disk, a reader that
// keeps the file locked). What does not fit is dropped and counted by stream. One thread.
#pragma once

#include <deque>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/events.h"
#include "core/profile.h"
#include "formats/chunk_table.h"

namespace gprofx {

constexpr size_t kMaxWaitingBytes = size_t{64} << 20;

struct StreamChunk {
  Stream stream = Stream::kCpuSamples;
  TimedChunk chunk;
};

struct ChunkBatch {
  std::deque<StreamChunk> chunks;
  std::map<Stream, int64_t> rows;  // of the streams that gained some: all that are stored then
};

class ChunkQueue {
 public:
  ChunkQueue();

  void Append(std::span<const SampleRow> rows);
  void Append(const EventTable& rows);  // tables of other streams than EventStreams() are ignored
  void CloseChunks();                   // buffered rows become chunks, whatever their number

  // All closed chunks, and how many rows each stream has stored once they are written. They count
  // as waiting until Written.
  ChunkBatch Take();
  void Written();

  // What was dropped so far, as entries of `quality`.
  std::map<std::string, int64_t> Dropped() const;

  const std::deque<StreamChunk>& waiting() const { return waiting_; }

 private:
  bool CloseSamples();
  bool CloseEvents(EventTable& buffer);
  void Keep(Stream stream, TimedChunk chunk);

  std::vector<SampleRow> samples_;   // fewer than a chunk
  std::vector<EventTable> events_;   // likewise, one per stream
  std::deque<StreamChunk> waiting_;  // closed, not yet taken
  size_t waiting_bytes_ = 0, taken_bytes_ = 0;
  std::map<Stream, int64_t> stored_, dropped_;
};

}  // namespace gprofx
