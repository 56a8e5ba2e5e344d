// Computes how long each piece of GPU work overlapped with other work on the same device.
//
// Method: a sweep over the begins and ends of each device's work, with a clock that advances only
// while two or more pieces run. The overlap of a piece is the advance of this clock between its
// begin and its end. This is exact and takes O(log n) per piece, however many run at once. Work may
// arrive in any order. Of work that begins before the sweep's current time, only the rest from that
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
  // Called once for each piece with an overlap, after it has ended; 0 < `ns` <= its length.
  using Sink = std::function<void(NodeId node, ThreadId thread, int64_t ns)>;

  // Adds a piece of work. `device` 0 = unknown: all such work of a process counts as on one device.
  void Add(ProcessId process, GpuDeviceId device, HostNs begin, HostNs end, NodeId node,
           ThreadId thread);
  size_t pending() const { return pending_; }  // pieces not yet processed by Advance
  // Number of pieces that arrived after the sweep had passed their begin. Their overlap before the
  // sweep's time is missed.
  int64_t late() const { return late_; }

  // Processes everything before `time` and reports the pieces that have ended to `sink`.
  void Advance(HostNs time, const Sink& sink);
  // Returns the median begin of the pending pieces; kEarliest if there are none.
  HostNs MiddleOfPending() const;
  void Finish(const Sink& sink);

 private:
  struct Piece {
    HostNs begin = 0, end = 0;  // of a running piece, `begin` holds the clock's value at its begin
    NodeId node;
    ThreadId thread;
  };
  struct Device {
    // `running` is a heap: the piece that ends first is on top.
    std::vector<Piece> pending, running;
    HostNs now = 0;
    int64_t clock = 0;  // ns during which two or more pieces ran

    void Run(HostNs time, const Sink& sink);
    void MoveTo(HostNs time);
  };

  std::map<uint64_t, Device> devices_;
  size_t pending_ = 0;
  int64_t late_ = 0;
};

}  // namespace gprofx
