// Finds the GPU work that ended last before the current time, which advances. Used inside
// core/replay only.
#pragma once

#include <queue>
#include <vector>

#include "core/replay/graph.h"

namespace gprofx {

class EndedWork {
 public:
  struct Work {
    HostNs end = 0;
    uint32_t node = kNoNode;
    GpuStreamId stream;
    // Reversed, because a std::priority_queue has the largest element on top: this gives the
    // earliest end.
    bool operator<(const Work& other) const { return end > other.end; }
  };

  void Begin(const Work& work) { running_.push(work); }

  // Advances to `time`: takes all work that ended by then out of the queue and records it.
  void Until(HostNs time) {
    for (; !running_.empty() && running_.top().end <= time; running_.pop()) {
      const Work& ended = running_.top();
      if (latest_[0].node != kNoNode && latest_[0].stream != ended.stream) latest_[1] = latest_[0];
      latest_[0] = ended;
    }
  }

  // Returns the node of the work that ended last on a stream other than `stream`; kNoNode if there
  // is none.
  uint32_t OnOther(GpuStreamId stream) const {
    return First([&](const Work& work) { return work.stream != stream; });
  }
  // Checks the work that ended last and the last work of another stream, in this order. Returns the
  // node of the first for which fits() is true; kNoNode if there is none.
  template <class Fits>
  uint32_t First(const Fits& fits) const {
    for (const Work& work : latest_) {
      if (work.node != kNoNode && fits(work)) return work.node;
    }
    return kNoNode;
  }

 private:
  std::priority_queue<Work> running_;
  Work latest_[2];  // the two latest ends on different streams, latest first
};

}  // namespace gprofx
