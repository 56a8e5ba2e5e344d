// The spans of one thread, in any order, and back in the order of calls: outer before inner.
//
// A large trace has ten million spans. They are kept packed, in pieces that are sorted each: 8 to
// 12 bytes a span, where the span itself has 48. Pieces are merged as they are read. Spans that
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
  // Returns how many spans it removed.
  int64_t RemoveIf(const std::function<bool(const HostSpan&)>& is_wrong);

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool has_backward() const { return has_backward_; }

  // In the order of calls.
  void ForSorted(const Take& take) const;
  // In no order.
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
  std::vector<HostSpan> open_;  // not yet packed
  size_t size_ = 0;
  bool has_backward_ = false;
};

}  // namespace gprofx::importers
