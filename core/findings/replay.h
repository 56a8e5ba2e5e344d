// The time line of a process run again, with parts of it gone. Used inside core/findings only.
//
// The host makes its calls in their order, with the host time that lay between them. An operation
// begins when its launch has reached the GPU and the stream is free; where it began later than both
// it waited for another stream's work, and does so again. A call that waited for the GPU waits for
// the same operation again, and so does a launch that found the queue full; the host is never more
// than kQueue launches ahead. Everything that the recording does not tell stays as it was: how long
// a launch takes to the GPU, the gap between two operations of a stream. Linear in the time line.
// Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "core/findings/time_line.h"

namespace gprofx {

// What a finding would take away: positions in the time line. Host time is that before a call.
struct Cure {
  struct Time {
    uint32_t at = 0;
    int64_t ns = 0;
  };
  std::vector<Time> host;       // so much of it goes
  std::vector<uint32_t> calls;  // take no time and wait for nothing
  std::vector<Time> shorter;    // calls: take so much less, beside what they wait
  std::vector<Time> ops;        // take this long instead; -1 = go

  void Gone(uint32_t op) { ops.push_back({op, -1}); }
};

// Everything that is gone, by position.
struct Removal {
  explicit Removal(const TimeLine& line);
  void Add(const Cure& cure);

  std::vector<int64_t> host_ns, call_ns;
  std::vector<uint8_t> call_gone, op_gone;
  std::vector<int64_t> op_ns;  // -1 = as it was
};

class Replay {
 public:
  static constexpr size_t kQueue = 1024;

  explicit Replay(const TimeLine& line);

  // From the begin of what is shown to the end of the last call and operation, all segments.
  int64_t Length(const Removal& removal) const;
  int64_t base() const { return base_; }  // with nothing gone

 private:
  struct OpFacts {
    int64_t delay = 0;       // from the launch to the begin, where only the launch counted
    int64_t gap = 0;         // behind the operation before it on its stream
    uint32_t other = kNone;  // the operation of another stream that it waited for
    int64_t behind = 0;      // begin - end of that
  };
  static constexpr uint32_t kNone = UINT32_MAX;

  void LearnDelays();
  void LearnOps();
  void LearnCalls();

  const TimeLine& line_;
  int64_t least_delay_ = 0, usual_gap_ = 0;
  std::vector<OpFacts> ops_;
  std::vector<uint32_t> waited_for_;  // by call: an operation; kNone
  std::vector<int64_t> tail_;         // by call: from the end of that to its own
  int64_t base_ = 0;
};

}  // namespace gprofx
