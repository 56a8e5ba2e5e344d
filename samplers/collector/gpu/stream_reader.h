// Reads the stream of GPU records of one process (samplers/wire/gpu.h).
//
// Call Head() first, then drain the thread rings, then Read up to that head. The launch of every
// kernel is then seen before the kernel.
//
// The target may write anything at any time. Therefore each record is copied once, positions and
// sizes are checked, and our position is kept here and not in the shared memory. An invalid record
// is counted, and everything after it up to `head` is skipped, because without a valid size the
// next record cannot be found. The size of the ring limits the time. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "samplers/wire/gpu.h"

namespace gprofx {

class GpuStreamReader {
 public:
  // Receives a record, including its header, with header.bytes bytes. The bytes are valid only
  // during the call.
  using Sink = std::function<void(std::span<const std::byte> record)>;

  static uint64_t Head(const wire::GpuHeader& header) {
    return header.head.load(std::memory_order_acquire);
  }
  // Passes the records up to `head` to `sink` and lets the target reuse their space. `stream` has
  // kGpuStreamBytes bytes. Returns the number of records; padding does not count.
  size_t Read(wire::GpuHeader& header, const std::byte* stream, uint64_t head, const Sink& sink);

  int64_t bad_records() const { return bad_records_; }

 private:
  uint64_t tail_ = 0;
  int64_t bad_records_ = 0;
  std::vector<std::byte> copy_;
};

}  // namespace gprofx
