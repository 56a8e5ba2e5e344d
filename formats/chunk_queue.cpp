#include "formats/chunk_queue.h"

#include <algorithm>
#include <string>
#include <utility>

#include "formats/event_chunk.h"
#include "formats/sample_chunk.h"

namespace gprofx {
namespace {

// "timeline_rows_dropped" is the name of schema 1.0.
std::string DroppedName(Stream stream) {
  const EventStream* events = FindEventStream(stream);
  std::string name = events ? events->name : "timeline";
  std::replace(name.begin(), name.end(), ' ', '_');
  return name + "_rows_dropped";
}

}  // namespace

ChunkQueue::ChunkQueue() {
  for (const EventStream& stream : EventStreams()) events_.emplace_back(stream.id);
}

void ChunkQueue::Append(std::span<const SampleRow> rows) {
  for (const SampleRow& row : rows) {
    samples_.push_back(row);
    if (samples_.size() >= kMaxChunkRows) CloseSamples();
  }
}

void ChunkQueue::Append(const EventTable& rows) {
  for (EventTable& buffer : events_) {
    if (buffer.stream() != rows.stream()) continue;
    FillChunks(rows, buffer, [&] { return CloseEvents(buffer); });
  }
}

void ChunkQueue::CloseChunks() {
  if (!samples_.empty()) CloseSamples();
  for (EventTable& buffer : events_) {
    if (buffer.rows() != 0) CloseEvents(buffer);
  }
}

bool ChunkQueue::CloseSamples() {
  Keep(Stream::kCpuSamples, EncodeSamples(samples_));
  samples_.clear();
  return true;
}

bool ChunkQueue::CloseEvents(EventTable& buffer) {
  Keep(buffer.stream(), EncodeEvents(buffer));
  buffer.Clear();
  return true;
}

void ChunkQueue::Keep(Stream stream, TimedChunk chunk) {
  if (chunk.data.empty() || taken_bytes_ + waiting_bytes_ + chunk.data.size() > kMaxWaitingBytes) {
    dropped_[stream] += chunk.rows;
    return;
  }
  waiting_bytes_ += chunk.data.size();
  waiting_.push_back({stream, std::move(chunk)});
}

ChunkBatch ChunkQueue::Take() {
  ChunkBatch batch;
  batch.chunks.swap(waiting_);
  for (const StreamChunk& taken : batch.chunks) {
    batch.rows[taken.stream] = stored_[taken.stream] += taken.chunk.rows;
  }
  taken_bytes_ += std::exchange(waiting_bytes_, 0);
  return batch;
}

void ChunkQueue::Written() { taken_bytes_ = 0; }

std::map<std::string, int64_t> ChunkQueue::Dropped() const {
  std::map<std::string, int64_t> out;
  for (const auto& [stream, rows] : dropped_) out[DroppedName(stream)] = rows;
  return out;
}

}  // namespace gprofx
