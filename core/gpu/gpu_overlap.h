// Computes how long each piece of GPU work overlapped with others on the same device.
//
// Method: a sweep over the begins and ends of each device's work, with a clock that runs while two
// or more pieces do. The overlap of a piece is the advance of this clock between its begin and its
// end: exact, and O(log n) per piece, however many run at once. Work may come in any order; work
// that begins before the sweep's current time counts from that time. A piece of length 0 overlaps
// with nothing. Pure; one thread; memory: the work that is not yet processed. Times are HostNs.
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

  // `device` 0 = unknown: all such work of one process counts as on one device.
  void Add(ProcessId process, GpuDeviceId device, HostNs begin, HostNs end, NodeId node,
           ThreadId thread);
  size_t pending() const { return pending_; }  // pieces not yet processed by Advance
  // Pieces that arrived after the sweep had passed their begin: overlap before that is missed.
  int64_t late() const { return late_; }

  // Processes everything before `time`.
  void Advance(HostNs time, const Sink& sink);
  // Returns the median begin of the pending pieces.
  HostNs MiddleOfPending() const;
  void Finish(const Sink& sink);

 private:
  struct Piece {
    HostNs begin = 0, end = 0;  // of a running piece, begin holds the clock's value at its begin
    NodeId node;
    ThreadId thread;
  };
  struct Device {
    std::vector<Piece> pending, running;  // running: a heap, the first to end on top
    HostNs now = 0;
    int64_t clock = 0;  // ns during which two or more ran

    void Run(HostNs time, const Sink& sink);
    void MoveTo(HostNs time);
  };

  std::map<uint64_t, Device> devices_;
  size_t pending_ = 0;
  int64_t late_ = 0;
};

}  // namespace gprofx
