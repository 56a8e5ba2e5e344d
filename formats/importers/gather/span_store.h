// Stores the spans of one thread, in any order, and returns them in the order of calls: outer
// before inner.
//
// A large trace has ten million spans. They are stored in sorted pieces, packed to 8 to 12 bytes
// per span instead of the 48 of a HostSpan. The pieces are merged when they are read. Spans that
// begin and end together stay in the order of the trace. Pure; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "formats/importers/gather/host_span.h"

namespace gprofx::importers {

class SpanStore {
 public:
  using Take = std::function<void(const HostSpan&)>;

  void Add(const HostSpan& span);
  void Clear() { *this = {}; }
  // Removes the spans for which `is_wrong` returns true. Returns their number.
  int64_t RemoveIf(const std::function<bool(const HostSpan&)>& is_wrong);

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool has_backward() const { return has_backward_; }

  // Calls `take` for each span, in the order of calls.
  void ForSorted(const Take& take) const;
  // Calls `take` for each span, in any order.
  void ForEach(const Take& take) const;

 private:
  struct Piece {
    std::vector<uint8_t> bytes;
    HostSpan first;
    uint32_t spans = 0;
  };
  class Cursor;

  void Pack();

  std::vector<Piece> pieces_;
  std::vector<HostSpan> open_;  // spans that are not packed yet
  size_t size_ = 0;
  bool has_backward_ = false;
};

}  // namespace gprofx::importers
