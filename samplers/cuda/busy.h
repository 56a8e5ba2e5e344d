// For which share of its time a GPU worked, from the records of kernels as they come. Our own thread.
#pragma once

#include <algorithm>
#include <cstdint>

namespace gprofx::cuda {

// Records come nearly in order of their ends: what overlaps the latest end counts once, and a record
// that comes late adds nothing.
class BusyMeter {
 public:
  void Restart() { *this = BusyMeter(); }
  void Add(uint64_t start, uint64_t end) {
    if (start == 0 || end <= start) return;
    if (first_ == 0) first_ = last_ = start;
    if (end > last_) busy_ += end - std::max(start, last_);
    last_ = std::max(last_, end);
  }
  // Between the first record's start and the latest end; negative: too little was seen.
  double Share() const {
    constexpr uint64_t kLeast = 10'000'000;
    const uint64_t seen = last_ - first_;
    return seen < kLeast ? -1 : static_cast<double>(busy_) / static_cast<double>(seen);
  }

 private:
  uint64_t first_ = 0, last_ = 0, busy_ = 0;
};

BusyMeter& TheBusyMeter();

}  // namespace gprofx::cuda
