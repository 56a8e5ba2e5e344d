// Chooses when each level is on, so that recording stays within the program's budget and expensive
// data are still sampled often. Pure: working time of the program, launches and GPU utilisation are
// passed in as numbers.
//
// Everything is on from the start. It stays on where records cost nothing: if there is little work,
// or if the GPU is always busy from the first to the last operation that a window launched
// (busy.h). Work of CUDA graphs is excluded: one launch makes hundreds of records, which cost GPU
// time as well. Otherwise short windows with records alternate with longer ones in which launches
// are only counted. The share of windows with records depends on the cost of records. This cost is
// the additional time that a launch takes with records, as timed (call_times.h); until it is known,
// a value measured in advance is used. A CUDA graph is launched in a moment, but its records cost
// GPU time: each operation counts with a value measured in advance, or more if the launch rates of
// neighbouring windows show more. They may show less than it costs: a program that has launched
// many graphs ahead is slowed only after a short window has ended. Lengths are random, so that
// windows cannot fall into step with the program. One thread.
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
    int64_t ns;           // while it was on and the program worked
    uint64_t launches;    // in that time
    uint64_t own_ns;      // spent in our callbacks
    double records_ns;    // added by records to a launch, compared with no CUPTI; 0 = unknown
    BusyMeter::Work gpu;  // of the latest windows with records, as far as known
  };
  struct Step {
    wire::GpuLevel level;
    int64_t ns;
  };
  // If true, CUPTI leaves the process between windows with records (cupti_session.h).
  void SetLeaves(bool leaves) {
    if (leaves_ != leaves) plain_rate_ = traced_rate_ = 0;  // do not compare windows of two kinds
    leaves_ = leaves;
  }
  // The first window, at the start or after a pause. What was learned before the pause is kept.
  Step First();
  // The window after `ended`. The result for a window that a pause ends early is not used.
  Step Next(const Window& ended);

  // True if the host was found to be the bottleneck, so that levels alternate.
  bool host_is_limit() const { return alternates_; }
  // Upper estimate of the program time that records add; 0.2 = a fifth.
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
  double rate_ = 0;         // launches per nanosecond in the latest window
  double plain_rate_ = 0;   // of the plain window before; 0 = too few launches
  double traced_rate_ = 0;  // of the window with records after it
  double own_share_ = 0;    // fraction of time spent in our callbacks
  double records_ns_ = 0;   // per launch; 0 = unknown
  // Slowdown of launches against the neighbouring windows without records.
  double ratio_ = 1;
  double spread_ = 0;     // its variance between windows (West 1979, fading weights)
  uint32_t windows_ = 0;  // number of windows learned from
  bool cost_ = false;     // records were expensive in the previous window
  bool leaves_ = false;
  double operations_ = 1;  // per launch; many for a CUDA graph
};

}  // namespace gprofx::cuda
