#include "samplers/collector/markers/stream_reader.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace gprofx {
namespace {

constexpr uint64_t kSize = wire::kMarkerStreamBytes;

template <class T>
T At(std::span<const std::byte> record, size_t offset) {
  T value;
  std::memcpy(&value, record.data() + offset, sizeof value);
  return value;
}

// Sets the bytes of free space to zero. Otherwise the next record in that space could look finished
// before it is.
void Zero(std::byte* stream, uint64_t begin, uint64_t end) {
  while (begin != end) {
    const uint64_t at = begin % kSize;
    const uint64_t bytes = std::min(end - begin, kSize - at);
    std::memset(stream + at, 0, bytes);
    begin += bytes;
  }
}

}  // namespace

std::optional<MarkerRecord> DecodeMarker(std::span<const std::byte> record) {
  using Wire = wire::MarkerRecord;
  if (record.size() < sizeof(Wire)) return std::nullopt;
  MarkerRecord out;
  const auto kind = At<uint16_t>(record, offsetof(Wire, kind));
  if (kind < wire::kMarkerPush || kind > wire::kMarkerMoment) return std::nullopt;
  out.kind = static_cast<wire::MarkerKind>(kind);
  out.depth = At<uint16_t>(record, offsetof(Wire, depth));
  out.lost = At<uint16_t>(record, offsetof(Wire, lost));
  out.time = At<int64_t>(record, offsetof(Wire, time));
  out.range = At<uint64_t>(record, offsetof(Wire, range));
  out.tid = At<int32_t>(record, offsetof(Wire, tid));
  out.domain = At<uint32_t>(record, offsetof(Wire, domain));
  const size_t name = At<uint16_t>(record, offsetof(Wire, name_bytes));
  const size_t domain = At<uint16_t>(record, offsetof(Wire, domain_bytes));
  const size_t room = record.size() - sizeof(Wire);
  if (name > wire::kMaxMarkerText || domain > wire::kMaxMarkerText || name + domain > room) {
    return std::nullopt;
  }
  const auto* texts = reinterpret_cast<const char*>(record.data()) + sizeof(Wire);
  out.name = {texts, name};
  out.domain_name = {texts + name, domain};
  return out;
}

size_t MarkerStreamReader::Read(wire::MarkerHeader& header, std::byte* stream, uint64_t head,
                                HostNs now, const Sink& sink) {
  size_t count = 0;
  if (head - tail_ > kSize) {  // an honest target never writes this
    ++bad_records_;
    tail_ = head;
  }
  std::array<std::byte, wire::kMaxMarkerRecord> copy;
  while (tail_ != head) {
    const uint64_t at = tail_ % kSize;
    const uint64_t room = std::min(head - tail_, kSize - at);
    uint32_t bytes = 0;
    uint16_t kind = 0;
    if (room >= 8 && at % 8 == 0) {
      auto* record = reinterpret_cast<wire::MarkerRecord*>(stream + at);
      bytes = record->bytes.load(std::memory_order_acquire);
      kind = record->kind;
    }
    if (bytes == 0) {
      if (waits_at_ != tail_) waits_since_ = now;
      waits_at_ = tail_;
      if (now - waits_since_ >= kPatience) LeaveOut(stream, head);
      break;
    }
    const bool fits =
        bytes % 8 == 0 && bytes <= room && (kind == wire::kMarkerPad || bytes <= copy.size());
    if (!fits) {
      LeaveOut(stream, head);
      break;
    }
    if (kind != wire::kMarkerPad) {
      std::memcpy(copy.data(), stream + at, bytes);
      if (const auto record = DecodeMarker(std::span(copy).first(bytes))) {
        ++count;
        sink(*record);
      } else {
        ++bad_records_;
      }
    }
    Zero(stream, tail_, tail_ + bytes);
    tail_ += bytes;
  }
  header.tail.store(tail_, std::memory_order_release);
  return count;
}

// Called at an invalid record. Skips everything up to `head`, because without a valid size the next
// record cannot be found.
void MarkerStreamReader::LeaveOut(std::byte* stream, uint64_t head) {
  ++bad_records_;
  Zero(stream, tail_, head);
  tail_ = head;
}

}  // namespace gprofx
