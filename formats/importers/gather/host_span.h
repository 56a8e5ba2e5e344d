// A call or a range on a host thread, as a tracer writes it.
#pragma once

#include <cstdint>

#include "core/model/ids.h"

namespace gprofx::importers {

struct HostSpan {
  int64_t start = 0, duration = 0;  // ns of the trace's own clock
  FrameId frame;
  uint32_t correlation = 0;  // correlation id of a call that launches GPU work; 0 = none
  // Autograd's sequence number (forward_join.h), shared by a backward span and its forward
  // operator; -1 = none.
  int64_t sequence = -1;
  uint32_t forward_thread = 0;  // thread of the forward operator, by the profiler's number
  uint32_t work = 0;            // number from TraceGather::AddWorkOf; 0 = unknown
  bool is_backward = false;
  bool is_range = false;  // a range that the program named; it may overlap calls
};

// True if `a` sorts before `b`. Outer spans sort before inner ones: if two begin together, the
// longer one is outside. If both are equally long, a span that launches no GPU work is outside a
// call that does. Otherwise neither sorts before the other, and the order of the trace stays.
inline bool IsOutside(const HostSpan& a, const HostSpan& b) {
  if (a.start != b.start) return a.start < b.start;
  if (a.duration != b.duration) return a.duration > b.duration;
  return (a.correlation == 0) > (b.correlation == 0);
}

}  // namespace gprofx::importers
