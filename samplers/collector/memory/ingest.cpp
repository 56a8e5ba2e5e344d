#include "samplers/collector/memory/ingest.h"

#include <algorithm>

#include "samplers/collector/drain/drain_bounds.h"

namespace gprofx {
namespace {

// Max size of an allocation; more than any GPU has.
constexpr uint64_t kMaxBytes = uint64_t{1} << 50;
constexpr size_t kMaxLive = 4'000'000;

int64_t Total(uint64_t bytes) { return bytes > kMaxBytes ? -1 : static_cast<int64_t>(bytes); }

}  // namespace

void MemoryIngest::Take(const MemoryRecord& record, HostNs now, const StackOf& stack_of) {
  MemoryEvent event;
  event.time = BoundedTime(record.time, now);
  const auto thread = threads_.find(record.tid);
  if (thread != threads_.end()) event.thread = thread->second;
  if (record.node != 0) event.node = stack_of(record.node);
  event.address = record.address;
  if (record.bytes > kMaxBytes) {
    ++bad_;
    return;
  }
  event.bytes = static_cast<int64_t>(record.bytes);
  switch (record.kind) {
    case wire::kMemoryAlloc:
    case wire::kMemoryPoolAlloc:
      event.source =
          record.kind == wire::kMemoryAlloc ? MemorySource::kDriver : MemorySource::kPool;
      return Give(record, event);
    case wire::kMemoryFree:
    case wire::kMemoryPoolFree:
      event.bytes = 0;
      return Give(record, event);
    case wire::kMemoryCreate:
      physical_.Create(record.address);
      event.address = physical_.KeyOf(record.address);
      return Give(record, event);
    case wire::kMemoryMap:
      return physical_.Map(record.address, record.other);
    case wire::kMemoryRelease:
    case wire::kMemoryUnmap: {
      const auto gone = record.kind == wire::kMemoryRelease
                            ? physical_.Release(record.address)
                            : physical_.Unmap(record.address, record.bytes);
      event.bytes = 0;
      for (const uint64_t key : gone) {
        event.address = key;
        Give(record, event);
      }
      return;
    }
    case wire::kMemoryBlock:
    case wire::kMemoryBlockFree:
      event.source = MemorySource::kFramework;
      event.allocated = Total(record.other);
      event.reserved = Total(record.reserved);
      if (record.kind == wire::kMemoryBlockFree) event.bytes = -event.bytes;
      if (event.bytes == 0) break;
      return builder_.AddMemory(event, record.device);
    default:
      break;
  }
  ++bad_;
}

// Passes the event on with the device whose memory it concerns. A program may free memory in a
// context of another device than the one that holds it.
void MemoryIngest::Give(const MemoryRecord& record, MemoryEvent event) {
  uint32_t device = record.device;
  if (const auto found = device_of_.find(record.context); found != device_of_.end()) {
    device = found->second;
  }
  if (event.bytes > 0) {
    if (device_of_address_.size() < kMaxLive) device_of_address_[event.address] = device;
  } else if (const auto lies = device_of_address_.find(event.address);
             lies != device_of_address_.end()) {
    device = lies->second;
    device_of_address_.erase(lies);
  }
  builder_.AddMemory(event, device);
}

}  // namespace gprofx
