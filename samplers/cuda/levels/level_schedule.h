// Chooses when each level of recording is on. Recording must stay within the program's budget, but
// data that are expensive to record must still be sampled often. Pure: working time of the program,
// launches and GPU utilisation are passed in as numbers.
//
// At the start everything is on. It stays on where records cost nothing: if there is little work,
// or if the GPU is always busy from the first to the last operation that a window launched
// (busy.h). This does not apply to CUDA graphs: one launch makes hundreds of records, which cost
// GPU time as well.
//
// Otherwise short windows with records alternate with longer ones in which launches are only
// counted. The fraction of windows with records depends on the cost of records. That is the
// additional time that a launch takes with records, as timed (call_times.h). Until it is known, a
// value that was measured in advance is used.
//
// A CUDA graph is launched in a moment, but its records cost GPU time. Each of its operations
// counts with a value that was measured in advance, or with more if the launch rates of
// neighbouring windows show more. These may show less than the real cost: a program that has
// launched many graphs ahead is slowed only after a short window has ended.
//
// Lengths of windows are random, because windows must not fall into step with the program. One
// thread.
#pragma once

#include <cstdint>

#include "samplers/cuda/levels/busy.h"
#include "samplers/wire/gpu.h"

namespace gprofx::cuda {

class LevelSchedule {
 public:
  // `budget` is in thousandths of the program's time; 0 = everything is always on.
  LevelSchedule(uint32_t budget, uint64_t seed);

  struct Window {
    wire::GpuLevel level;
    int64_t ns;         // time in which its level was on and the program worked
    uint64_t launches;  // number of launches in that time
    uint64_t own_ns;    // time that our callbacks took
    double records_ns;  // ns by which records make a launch longer than without CUPTI; 0 = unknown
    BusyMeter::Work gpu;  // GPU work of the latest windows with records, as far as known
  };
  struct Step {
    wire::GpuLevel level;
    int64_t ns;
  };
  // Says whether CUPTI leaves the process between windows with records (cupti_session.h).
  void SetLeaves(bool leaves) {
    if (leaves_ != leaves) plain_rate_ = traced_rate_ = 0;  // do not compare windows of two kinds
    leaves_ = leaves;
  }
  // Returns the first window, at the start or after a pause. What was learned before the pause
  // stays.
  Step First();
  // Returns the window that follows `ended`. If a pause ended that window early, the caller does
  // not use the result.
  Step Next(const Window& ended);

  // True if the host was found to be the bottleneck. Windows with and without records then
  // alternate.
  bool host_is_limit() const { return alternates_; }
  // Returns an upper estimate of the cost of records, as a fraction of the program's time (0.2 = a
  // fifth).
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
  double Random();  // in [0, 1)
  int64_t RandomNs(int64_t mean);
  int64_t TracedNs() const;
  int64_t LeastPlainNs() const;

  const double budget_;
  uint64_t random_;
  bool alternates_ = false;
  double launches_seen_ = 0;
  double rate_ = 0;        // launches per nanosecond in the latest window
  double plain_rate_ = 0;  // launch rate of the window without records before; 0 = too few launches
  double traced_rate_ = 0;  // launch rate of the window with records after it
  double own_share_ = 0;    // fraction of the time that our callbacks take
  double records_ns_ = 0;   // cost of records per launch in ns; 0 = unknown
  // How much slower launches are with records than in the neighbouring windows without.
  double ratio_ = 1;
  double spread_ = 0;     // variance of that slowdown between windows (West 1979, fading weights)
  uint32_t windows_ = 0;  // number of windows learned from
  bool cost_ = false;     // records were expensive in the previous window
  bool leaves_ = false;
  double operations_ = 1;  // operations per launch; many for a CUDA graph
};

}  // namespace gprofx::cuda
