// Chooses which level is on when, so that recording costs the program no more than its budget and
// what is dear is still seen often. Pure: time in which the program works, launches and GPU
// busyness come in as numbers.
//
// Everything is on from the start, and stays on where records cost nothing: little work, or a GPU
// that is always busy from the first to the last operation that a window launched (busy.h). Work of
// CUDA graphs is no such case: a launch makes hundreds of records, which cost the GPU time, too.
// Else short windows with records alternate with longer ones in which launches are only counted.
// How often they are on follows from what records cost: what launches take more with them, as they
// were timed (call_times.h), or what they were measured to take from outside until that is known. A
// CUDA graph is launched in a moment, and its records cost the GPU time: there it is learned from
// the rates of launches in neighbouring windows. Lengths are random, so that windows cannot fall
// into step with the program. One thread.
#pragma once

#include <cstdint>

#include "samplers/cuda/levels/busy.h"
#include "samplers/wire/gpu.h"

namespace gprofx::cuda {

class LevelSchedule {
 public:
  // `budget`: thousandths of the program's time; 0 = everything is always on.
  LevelSchedule(uint32_t budget, uint64_t seed);

  struct Window {
    wire::GpuLevel level;
    int64_t ns;         // for which it was on and the program worked
    uint64_t launches;  // in that time
    uint64_t own_ns;    // that our callbacks took
    double
        records_ns;  // that a launch with records takes more than one without CUPTI; 0 = not known
    BusyMeter::Work gpu;  // of the latest windows with records, as far as known
  };
  struct Step {
    wire::GpuLevel level;
    int64_t ns;
  };
  // From now on: between windows with records CUPTI is not in the process (cupti_session.h).
  void SetLeaves(bool leaves) {
    if (leaves_ != leaves) plain_rate_ = traced_rate_ = 0;  // windows of two kinds are not compared
    leaves_ = leaves;
  }
  // The first window, of all or after a pause; what was learned before the pause still holds.
  Step First();
  // The one after `ended`. Of a window that a pause ends early the answer does not matter.
  Step Next(const Window& ended);

  // So it was found: levels alternate.
  bool host_is_limit() const { return alternates_; }
  // What records add to the time of the program, at most as far as is known; 0.2 = a fifth.
  double LikelyCost() const;

 private:
  Step Everything();
  Step Records();
  Step Plain();
  void Learn(const Window& ended);
  bool GpuIsLimit(const Window& ended) const;
  bool HasGraphs() const;
  bool RecordsCost(const Window& ended) const;
  double Share() const;
  double LearnedCost() const;
  double Random();  // [0, 1)
  int64_t RandomNs(int64_t mean);
  int64_t TracedNs() const;
  int64_t LeastPlainNs() const;

  const double budget_;
  uint64_t random_;
  bool alternates_ = false;
  double launches_seen_ = 0;
  double rate_ = 0;         // of launches per nanosecond, in the latest window
  double plain_rate_ = 0;   // of the plain window before; 0 = too few launches
  double traced_rate_ = 0;  // of the one with records after it
  double own_share_ = 0;    // of the time, for our callbacks
  double records_ns_ = 0;   // of a launch; 0 = not known
  // How much slower launches came than in the neighbours without records.
  double ratio_ = 1;
  double spread_ = 0;     // variance of that from window to window (West 1979, weights that fade)
  uint32_t windows_ = 0;  // learned from
  bool cost_ = false;     // records did, in the window before
  bool leaves_ = false;
  double operations_ = 1;  // of a launch; many where it is one of a CUDA graph
};

}  // namespace gprofx::cuda
