// Reads the stream of markers of one process (samplers/wire/markers.h).
//
// The target may write anything at any time. Therefore each record is copied once, positions and
// sizes are checked, and our position is kept here. A Read ends at a record that its thread has not
// finished writing. If the record is still unfinished after kPatience, because its thread was
// cancelled, it is skipped together with everything after it up to `head`. The size of the ring
// limits the time. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "core/model/ids.h"
#include "samplers/wire/markers.h"

namespace gprofx {

struct MarkerRecord {  // copy of a record; its texts are valid only during the call
  wire::MarkerKind kind = wire::kMarkerPad;
  uint16_t depth = wire::kNoDepth;
  int64_t time = 0;
  uint64_t range = 0;
  int32_t tid = 0;
  uint32_t domain = 0;
  std::string_view name, domain_name;
  uint16_t lost = wire::kNoDepth;
};

// Decodes a whole record with its texts. Returns none if it is invalid.
std::optional<MarkerRecord> DecodeMarker(std::span<const std::byte> record);

class MarkerStreamReader {
 public:
  using Sink = std::function<void(const MarkerRecord& record)>;
  static constexpr HostNs kPatience = 10'000'000'000;

  static uint64_t Head(const wire::MarkerHeader& header) {
    return header.head.load(std::memory_order_acquire);
  }
  // Passes the finished records up to `head` to `sink` and lets the target reuse their space.
  // `stream` has kMarkerStreamBytes bytes. Returns the number of records.
  size_t Read(wire::MarkerHeader& header, std::byte* stream, uint64_t head, HostNs now,
              const Sink& sink);

  int64_t bad_records() const { return bad_records_; }

 private:
  void LeaveOut(std::byte* stream, uint64_t head);

  uint64_t tail_ = 0;
  uint64_t waits_at_ = UINT64_MAX;  // position of the unfinished record for which Read waits
  HostNs waits_since_ = 0;
  int64_t bad_records_ = 0;
};

}  // namespace gprofx
