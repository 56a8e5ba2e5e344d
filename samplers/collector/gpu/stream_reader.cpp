#include "samplers/collector/gpu/stream_reader.h"

#include <algorithm>
#include <cstring>

namespace gprofx {

size_t GpuStreamReader::Read(wire::GpuHeader& header, const std::byte* stream, uint64_t head,
                             const Sink& sink) {
  size_t count = 0;
  if (head - tail_ > wire::kGpuStreamBytes) {  // an honest target never writes this
    ++bad_records_;
    tail_ = head;
  }
  while (tail_ != head) {
    const uint64_t at = tail_ % wire::kGpuStreamBytes;
    const uint64_t room = std::min(head - tail_, wire::kGpuStreamBytes - at);
    wire::GpuRecord start{};
    if (room >= sizeof start) std::memcpy(&start, stream + at, sizeof start);
    if (start.bytes < sizeof start || start.bytes % 8 != 0 || start.bytes > room ||
        start.bytes > wire::kMaxGpuRecord) {
      ++bad_records_;
      tail_ = head;
      break;
    }
    tail_ += start.bytes;
    if (start.type == wire::kGpuPad) continue;
    copy_.resize(start.bytes);
    std::memcpy(copy_.data(), stream + at, start.bytes);
    // Use the header that was checked. The target may have changed the one in the stream since
    // then.
    std::memcpy(copy_.data(), &start, sizeof start);
    ++count;
    sink(copy_);
  }
  header.tail.store(tail_, std::memory_order_release);
  return count;
}

}  // namespace gprofx
