// Reads the ring of memory events of one process (samplers/wire/memory.h).
//
// The target may write anything at any time. Therefore each record is copied once, and our position
// is kept here. A Read ends at a record that its thread has not finished writing. If the record is
// still unfinished after kPatience, because its thread was cancelled, only this record is skipped.
// The size of the ring limits the time. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "core/model/ids.h"
#include "samplers/wire/memory.h"

namespace gprofx {

struct MemoryRecord {  // copy of a record
  int64_t time = 0;
  uint64_t address = 0, bytes = 0, other = 0, reserved = 0;
  uint32_t node = 0, context = 0;
  int32_t tid = 0;
  uint16_t kind = 0, device = 0;
};

class MemoryRingReader {
 public:
  using Sink = std::function<void(const MemoryRecord& record)>;
  static constexpr HostNs kPatience = 10'000'000'000;

  static uint64_t Head(const wire::MemoryHeader& header) {
    return header.head.load(std::memory_order_acquire);
  }
  // Passes the finished records up to `head` to `sink` and lets the target reuse their space.
  // `ring` has kMemoryRecords records. Returns the number of records passed.
  size_t Read(wire::MemoryHeader& header, const wire::MemoryRecord* ring, uint64_t head, HostNs now,
              const Sink& sink);

  int64_t bad_records() const { return bad_records_; }  // number of skipped records

 private:
  uint64_t tail_ = 0;
  uint64_t waits_at_ = UINT64_MAX;  // position of the unfinished record for which Read waits
  HostNs waits_since_ = 0;
  int64_t bad_records_ = 0;
};

}  // namespace gprofx
