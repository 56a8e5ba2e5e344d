// What recording cost the program, learned from the recording itself.
//
// Method: the same work is counted, as launches, in neighbouring windows with and without one part
// of the recording; the logarithm of the ratio of their rates is what the part costs there. The
// parts multiply, as the levels of XSP (IPDPS 2020) do. What cannot be switched off without losing
// counts, the callbacks at launches, is timed instead, and what they cost beyond (CUPTI's way to
// them, caches) is taken from programs that were measured from outside. Of CPU samples both is
// known, the time that they take and what the windows show of it, which is less where the program
// waits for its GPU and more where they sweep caches: each counts by how well it is known. Pure;
// one thread.
#pragma once

#include <cstdint>

namespace gprofx {

struct PairedCost {
  int64_t pairs = 0;
  double ratio = 1;          // of the time that the same work took
  double low = 1, high = 1;  // 95 % interval
};

// Mean and interval of what pairs of windows say. Outliers are cut: a window in which the program
// waited says nothing about us.
class PairedRatios {
 public:
  // Rates of the same work: without the part, and with it.
  void Add(double rate_without, double rate_with);
  PairedCost Cost() const;  // ratio 1, low = high = 1 with fewer than two pairs

 private:
  int64_t pairs_ = 0;
  double sum_ = 0, squares_ = 0;
};

struct CostParts {
  PairedCost sampling;        // CPU samples, by windows
  double sampling_share = 0;  // of the time, in their handlers and interrupts; 0 = not known
  double launch_share = 0;    // of the time, in callbacks at launches and waiting calls
  PairedCost records;         // of GPU work, while they are made
  double records_share = 0;   // of the time (core/level_windows.h)
};

// What CPU samples cost, by both.
PairedCost SamplingCost(const CostParts& parts);
// All of it. Pairs are those of the CPU samples.
PairedCost OwnCost(const CostParts& parts);

}  // namespace gprofx
