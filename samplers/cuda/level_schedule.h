// Chooses which level is on when, so that recording costs the program no more than its budget and
// what is dear is still seen often. Pure: time, launches and GPU busyness come in as numbers.
//
// Everything is on from the start, and stays on where the host is not the limit: few launches, or a
// GPU that is always busy. Else short windows with everything or with records only alternate with
// longer ones in which launches are only counted. What a level costs is learned from the rates of
// launches in such neighbours; how often it is on follows from that. Lengths are random, so that
// windows cannot fall into step with the program. One thread.
#pragma once

#include <cstdint>

#include "samplers/wire/gpu.h"

namespace gprofx::cuda {

class LevelSchedule {
 public:
  // `budget`: thousandths of the program's time; 0 = everything is always on.
  LevelSchedule(uint32_t budget, wire::GpuLevel most, uint64_t seed);

  struct Window {
    wire::GpuLevel level;
    int64_t ns;         // for which it was on
    uint64_t launches;  // in that time
    uint64_t own_ns;    // that our callbacks took
    double gpu_busy;    // share of the traced time in which the GPU worked; negative = not known
  };
  struct Step {
    wire::GpuLevel level;
    int64_t ns;
  };
  // The first window, or the one after `ended`.
  Step First();
  Step Next(const Window& ended);

  // What a level adds to the time of the program, as learned so far; 0.2 = a fifth.
  double Cost(wire::GpuLevel level) const;

 private:
  // How much slower launches came than in the neighbours without.
  struct Learned {
    double log_ratio = 0;
    uint32_t windows = 0;
    void Add(double value);
  };
  enum class Phase { kEverything, kLearning, kBudget };

  Step Everything();
  Step Plain(double share);
  Step Dear();
  void Learn(const Window& ended);
  bool HostIsLimit(const Window& ended) const;
  double Shares(double* samples) const;
  double Random();  // [0, 1)
  int64_t RandomNs(int64_t mean);

  const double budget_;
  const wire::GpuLevel most_;
  uint64_t random_;
  Phase phase_ = Phase::kEverything;
  uint64_t launches_seen_ = 0;
  double plain_rate_ = 0;            // of the plain window before; 0 = too few launches
  double dear_rate_ = 0;             // of the dear window after it
  wire::GpuLevel dear_ = wire::kLevelOff;  // the level of that
  double own_share_ = 0;
  Learned records_, samples_;
  uint32_t busy_windows_ = 0;  // in a row
};

}  // namespace gprofx::cuda
