// Rows of samples and events between two commits: buffered, closed into chunks, kept until a commit
// takes them. Used inside formats/ only.
//
// Memory is bounded: at most one chunk of rows for each stream, and kMaxWaitingBytes of chunks
// (commits that fail: disk full). What does not fit is dropped and counted by stream. One thread.
#pragma once

#include <deque>
#include <map>
#include <span>
#include <vector>

#include "core/events.h"
#include "core/profile.h"
#include "formats/chunk_table.h"
#include "formats/profile_rows.h"

namespace gprofx {

constexpr size_t kMaxWaitingBytes = size_t{64} << 20;

struct StreamChunk {
  Stream stream = Stream::kCpuSamples;
  TimedChunk chunk;
};

class ChunkQueue {
 public:
  ChunkQueue();

  void Append(std::span<const SampleRow> rows);
  void Append(const EventTable& rows);  // tables of other streams than EventStreams() are ignored
  void CloseChunks();                   // buffered rows become chunks, whatever their number

  // Into the database, inside a transaction; nothing is forgotten until Remember says that it is
  // durable.
  bool Write(ChunkTable& table, ProfileRows& facts);
  void Remember();

  // The counters of what was dropped, as quality rows.
  bool WriteDropped(ProfileRows& facts) const;

  const std::deque<StreamChunk>& waiting() const { return waiting_; }

 private:
  bool CloseSamples();
  bool CloseEvents(EventTable& buffer);
  void Keep(Stream stream, TimedChunk chunk);

  std::vector<SampleRow> samples_;   // fewer than a chunk
  std::vector<EventTable> events_;   // likewise, one per stream
  std::deque<StreamChunk> waiting_;  // closed, not yet committed
  size_t waiting_bytes_ = 0;
  std::map<Stream, int64_t> stored_, dropped_;
};

}  // namespace gprofx
