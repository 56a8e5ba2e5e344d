// How long GPUs worked, from the records of kernels as they come. Our own thread.
#pragma once

#include <algorithm>
#include <cstdint>

namespace gprofx::cuda {

// Records come nearly in order of their ends: what overlaps the latest end counts once, and a record
// that comes late adds nothing.
class BusyMeter {
 public:
  void Add(uint64_t start, uint64_t end) {
    if (start == 0 || end <= start) return;
    if (end > last_) busy_ += end - std::max(start, last_);
    last_ = std::max(last_, end);
  }
  uint64_t busy_ns() const { return busy_; }  // so far

 private:
  uint64_t last_ = 0, busy_ = 0;
};

BusyMeter& TheBusyMeter();

}  // namespace gprofx::cuda
