#include "samplers/nvtx/ring.h"

#include <cstring>

namespace gprofx::nvtx {
namespace {

constexpr uint64_t kMask = wire::kMarkerStreamBytes - 1;
static_assert((wire::kMarkerStreamBytes & kMask) == 0);
constexpr int kTries = 64;  // max attempts to reserve room while other threads reserve some too

struct Room {
  uint64_t at = 0, pad = 0;
  bool found = false;
};

Room Take(wire::MarkerHeader* header, uint64_t bytes) {
  for (int i = 0; i < kTries; ++i) {
    // Read the tail before the head. If the collector moves the tail meanwhile, the ring has more
    // room than computed, never less.
    const uint64_t tail = header->tail.load(std::memory_order_acquire);
    uint64_t head = header->head.load(std::memory_order_relaxed);
    // Check the values, because other processes can write to the ring's memory. A record must begin
    // at a multiple of 8 and end within the ring.
    if (head % 8 != 0 || head - tail > wire::kMarkerStreamBytes) return {};
    const uint64_t to_end = wire::kMarkerStreamBytes - (head & kMask);
    const uint64_t pad = bytes > to_end ? to_end : 0;
    if (head - tail + pad + bytes > wire::kMarkerStreamBytes) return {};
    if (header->head.compare_exchange_weak(head, head + pad + bytes, std::memory_order_acq_rel,
                                           std::memory_order_relaxed))
      return {head, pad, true};
  }
  return {};
}

wire::MarkerRecord* RecordAt(uint8_t* stream, uint64_t at) {
  return reinterpret_cast<wire::MarkerRecord*>(stream + (at & kMask));
}

}  // namespace

bool Write(wire::MarkerHeader* header, uint8_t* stream, const Marker& marker) {
  const uint32_t text = marker.name.bytes + marker.domain_name.bytes;
  const auto bytes = static_cast<uint32_t>((sizeof(wire::MarkerRecord) + text + 7) & ~uint64_t{7});
  const Room room = Take(header, bytes);
  if (!room.found) {
    header->dropped.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  if (room.pad != 0) {
    wire::MarkerRecord* pad = RecordAt(stream, room.at);
    pad->kind = wire::kMarkerPad;
    pad->bytes.store(static_cast<uint32_t>(room.pad), std::memory_order_release);
  }
  wire::MarkerRecord* record = RecordAt(stream, room.at + room.pad);
  record->kind = marker.kind;
  record->depth = marker.depth;
  record->time = marker.time;
  record->range = marker.range;
  record->tid = marker.tid;
  record->domain = marker.domain;
  record->name_bytes = static_cast<uint16_t>(marker.name.bytes);
  record->domain_bytes = static_cast<uint16_t>(marker.domain_name.bytes);
  record->lost = marker.lost;
  record->reserved = 0;
  auto* texts = reinterpret_cast<uint8_t*>(record + 1);
  std::memcpy(texts, marker.name.data, marker.name.bytes);
  std::memcpy(texts + marker.name.bytes, marker.domain_name.data, marker.domain_name.bytes);
  record->bytes.store(bytes, std::memory_order_release);
  return true;
}

}  // namespace gprofx::nvtx
