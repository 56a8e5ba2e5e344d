#include "formats/database/chunk_queue.h"

#include <algorithm>
#include <string>
#include <utility>

#include "formats/database/event_chunk.h"
#include "formats/database/sample_chunk.h"

namespace gprofx {
namespace {

Stream StreamOf(const RowBlock& block) {
  const auto* events = std::get_if<EventTable>(&block);
  return events != nullptr ? events->stream() : Stream::kCpuSamples;
}

size_t BytesOf(const RowBlock& block) {
  if (const auto* samples = std::get_if<std::vector<SampleRow>>(&block)) {
    return samples->size() * sizeof(SampleRow);
  }
  const auto& events = std::get<EventTable>(block);
  return events.rows() * events.columns() * sizeof(int64_t);
}

// Encodes the rows of `block`. If that fails, the chunk has no data, but `rows` is set.
StreamChunk Encoded(RowBlock& block) {
  if (auto* samples = std::get_if<std::vector<SampleRow>>(&block)) {
    return {Stream::kCpuSamples, EncodeSamples(*samples)};
  }
  auto& events = std::get<EventTable>(block);
  return {events.stream(), EncodeEvents(events)};
}

uint32_t RowsOf(const RowBlock& block) {
  const auto* events = std::get_if<EventTable>(&block);
  return static_cast<uint32_t>(events != nullptr ? events->rows() : std::get<0>(block).size());
}

// Returns the name of the entry of Profile::quality that counts the dropped rows of a stream. For
// CPU samples, it is that of schema 1.0: "timeline_rows_dropped".
std::string DroppedName(Stream stream) {
  const EventStream* events = FindEventStream(stream);
  std::string name = events ? events->name : "timeline";
  std::replace(name.begin(), name.end(), ' ', '_');
  return name + "_rows_dropped";
}

}  // namespace

void ChunkBatch::Encode() {
  for (; !raw.empty(); raw.pop_front()) {
    StreamChunk encoded = Encoded(raw.front());
    if (encoded.chunk.data.empty()) {
      lost[encoded.stream] += encoded.chunk.rows;
      rows[encoded.stream] -= encoded.chunk.rows;
    } else {
      chunks.push_back(std::move(encoded));
    }
  }
}

size_t ChunkBatch::bytes() const {
  size_t sum = 0;
  for (const RowBlock& block : raw) sum += BytesOf(block);
  for (const StreamChunk& waiting : chunks) sum += waiting.chunk.data.size();
  return sum;
}

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

void ChunkQueue::CloseBlocks() {
  if (!samples_.empty()) CloseSamples();
  for (EventTable& buffer : events_) {
    if (buffer.rows() != 0) CloseEvents(buffer);
  }
}

void ChunkQueue::EncodeAll() {
  CloseBlocks();
  while (!raw_.empty()) EncodeOldest();
}

bool ChunkQueue::CloseSamples() {
  Keep(std::exchange(samples_, {}));
  return true;
}

bool ChunkQueue::CloseEvents(EventTable& buffer) {
  Keep(std::exchange(buffer, EventTable(buffer.stream())));
  return true;
}

void ChunkQueue::Keep(RowBlock block) {
  raw_bytes_ += BytesOf(block);
  raw_.push_back(std::move(block));
  while (raw_bytes_ > kMaxRawBytes) EncodeOldest();
}

void ChunkQueue::EncodeOldest() {
  raw_bytes_ -= BytesOf(raw_.front());
  StreamChunk encoded = Encoded(raw_.front());
  raw_.pop_front();
  const size_t bytes = encoded.chunk.data.size();
  if (bytes == 0 || taken_bytes_ + waiting_bytes_ + bytes > kMaxWaitingBytes) {
    dropped_[encoded.stream] += encoded.chunk.rows;
    return;
  }
  waiting_bytes_ += bytes;
  waiting_.push_back(std::move(encoded));
}

ChunkBatch ChunkQueue::Take() {
  ChunkBatch batch;
  batch.raw.swap(raw_);
  batch.chunks.swap(waiting_);
  for (const RowBlock& taken : batch.raw) {
    batch.rows[StreamOf(taken)] = stored_[StreamOf(taken)] += RowsOf(taken);
  }
  for (const StreamChunk& taken : batch.chunks) {
    batch.rows[taken.stream] = stored_[taken.stream] += taken.chunk.rows;
  }
  taken_bytes_ += std::exchange(raw_bytes_, 0) + std::exchange(waiting_bytes_, 0);
  return batch;
}

void ChunkQueue::Written(ChunkBatch& batch) {
  taken_bytes_ = 0;
  CountLost(batch);
}

void ChunkQueue::CountLost(ChunkBatch& batch) {
  for (const auto& [stream, rows] : batch.lost) {
    stored_[stream] -= rows;
    dropped_[stream] += rows;
  }
  batch.lost.clear();
}

std::map<std::string, int64_t> ChunkQueue::Dropped() const {
  std::map<std::string, int64_t> out;
  for (const auto& [stream, rows] : dropped_) out[DroppedName(stream)] = rows;
  return out;
}

}  // namespace gprofx
