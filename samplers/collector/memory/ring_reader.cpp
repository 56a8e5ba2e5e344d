#include "samplers/collector/memory/ring_reader.h"

namespace gprofx {
namespace {

MemoryRecord Copy(const wire::MemoryRecord& record) {
  MemoryRecord copy;
  copy.time = record.time;
  copy.address = record.address;
  copy.bytes = record.bytes;
  copy.other = record.other;
  copy.reserved = record.reserved;
  copy.node = record.node;
  copy.context = record.context;
  copy.tid = record.tid;
  copy.kind = record.kind;
  copy.device = record.device;
  return copy;
}

}  // namespace

size_t MemoryRingReader::Read(wire::MemoryHeader& header, const wire::MemoryRecord* ring,
                              uint64_t head, HostNs now, const Sink& sink) {
  size_t count = 0;
  if (head - tail_ > wire::kMemoryRecords) {  // an honest target never writes this
    ++bad_records_;
    tail_ = head;
  }
  for (; tail_ != head; ++tail_) {
    const wire::MemoryRecord& record = ring[tail_ % wire::kMemoryRecords];
    if (record.sequence.load(std::memory_order_acquire) == tail_ + 1) {
      ++count;
      sink(Copy(record));
      continue;
    }
    if (waits_at_ != tail_) waits_since_ = now;
    waits_at_ = tail_;
    if (now - waits_since_ < kPatience) break;
    ++bad_records_;
  }
  header.tail.store(tail_, std::memory_order_release);
  return count;
}

}  // namespace gprofx
