// Defines a call or a range on a host thread, as tracers write it.
#pragma once

#include <cstdint>

#include "core/model/ids.h"

namespace gprofx::importers {

struct HostSpan {
  int64_t start = 0, duration = 0;  // ns on the trace's own clock
  FrameId frame;
  uint32_t correlation = 0;  // correlation id of a call that launches GPU work; 0 = none
  // Autograd's sequence number (forward_join.h). A backward span and its forward operator have the
  // same number. -1 = none.
  int64_t sequence = -1;
  // Number of the forward operator's thread, as the profiler assigns it.
  uint32_t forward_thread = 0;
  uint32_t work = 0;  // number from TraceGather::AddWorkOf; 0 = unknown
  bool is_backward = false;
  bool is_range = false;  // a range that the program named; it may overlap calls
};

// True if `a` sorts before `b`. Outer spans sort before inner ones: if two begin together, the
// longer one is outside. If they are equally long, a span that launches no GPU work is outside one
// that does. Otherwise neither sorts before the other, and they stay in the order of the trace.
inline bool IsOutside(const HostSpan& a, const HostSpan& b) {
  if (a.start != b.start) return a.start < b.start;
  if (a.duration != b.duration) return a.duration > b.duration;
  return (a.correlation == 0) > (b.correlation == 0);
}

}  // namespace gprofx::importers
