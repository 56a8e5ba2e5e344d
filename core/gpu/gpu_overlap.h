// How long each piece of GPU work ran beside others on the same device.
//
// Method: a sweep over the begins and ends of each device's work, with a clock that runs while two
// or more pieces do. A piece overlapped for as long as this clock went on between its begin and its
// end: exact, and O(log n) for each, however many run at once. Work comes in any order; what begins
// before the time that is already worked off counts from there on. A piece of no length overlaps
// with nothing. Pure; one thread; memory: the work that is not yet worked off. Times are HostNs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "core/model/ids.h"

namespace gprofx {

class GpuOverlap {
 public:
  // Work of which a part overlapped, once, when it has ended; `ns` is above 0 and at most its
  // length.
  using Sink = std::function<void(NodeId node, ThreadId thread, int64_t ns)>;

  // `device` 0 = unknown: the process stands for it.
  void Add(ProcessId process, GpuDeviceId device, HostNs begin, HostNs end, NodeId node,
           ThreadId thread);
  size_t pending() const { return pending_; }  // pieces that Advance has not looked at
  // Pieces that began before what was worked off when they came: what overlapped there is not seen.
  int64_t late() const { return late_; }

  // Works off what happened before `time`.
  void Advance(HostNs time, const Sink& sink);
  // The begin that half of what is pending has not reached.
  HostNs MiddleOfPending() const;
  void Finish(const Sink& sink);

 private:
  struct Piece {
    HostNs begin = 0, end = 0;  // of a running one: begin is the clock's reading then
    NodeId node;
    ThreadId thread;
  };
  struct Device {
    std::vector<Piece> pending, running;  // running: a heap, the first to end on top
    HostNs now = 0;
    int64_t clock = 0;  // ns in which two or more ran

    void Run(HostNs time, const Sink& sink);
    void MoveTo(HostNs time);
  };

  std::map<uint64_t, Device> devices_;
  size_t pending_ = 0;
  int64_t late_ = 0;
};

}  // namespace gprofx
