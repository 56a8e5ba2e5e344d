// Computes how long each piece of GPU work overlapped with other work on the same device.
//
// Method: a sweep over the begins and ends of each device's work, with a clock that advances only
// while two or more pieces run. The overlap of a piece is the advance of this clock between its
// begin and its end. This is exact and takes O(log n) per piece, however many run at once. Work may
// arrive in any order. If work begins before the current time of the sweep, only the rest from that
// time on counts. A piece of length 0 overlaps with nothing. Pure; one thread. Memory: the work
// that is not yet processed. Times are HostNs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "core/model/ids.h"

namespace gprofx {

class GpuOverlap {
 public:
  // Receives the overlap of a piece, 0 < `ns` <= its length. Called once, after the piece has
  // ended, and not at all without overlap.
  using Sink = std::function<void(NodeId node, ThreadId thread, int64_t ns)>;

  // Adds a piece of work. If `device` is 0 (unknown), the piece counts as on one unknown device of
  // the process.
  void Add(ProcessId process, GpuDeviceId device, HostNs begin, HostNs end, NodeId node,
           ThreadId thread);
  size_t pending() const { return pending_; }  // pieces not yet processed by Advance
  // Number of pieces that arrived after the sweep had passed their begin. The overlap before the
  // current time of the sweep is missing in their results.
  int64_t late() const { return late_; }

  // Processes everything before `time` and reports the pieces that have ended to `sink`.
  void Advance(HostNs time, const Sink& sink);
  // Returns the median begin of the pending pieces; kEarliest if there are none.
  HostNs MiddleOfPending() const;
  void Finish(const Sink& sink);

 private:
  struct Piece {
    HostNs begin = 0, end = 0;  // of a running piece, `begin` is the value of `clock` when it began
    NodeId node;
    ThreadId thread;
  };
  struct Device {
    // `running` is a heap; its top is the piece that ends first.
    std::vector<Piece> pending, running;
    HostNs now = 0;
    int64_t clock = 0;  // total ns in which two or more pieces ran

    void Run(HostNs time, const Sink& sink);
    void MoveTo(HostNs time);
  };

  std::map<uint64_t, Device> devices_;
  size_t pending_ = 0;
  int64_t late_ = 0;
};

}  // namespace gprofx
