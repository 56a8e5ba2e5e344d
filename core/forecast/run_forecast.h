// Forecasts the step time of a recording on another device. Each operation gets its time on that
// device, and the recorded graph is replayed with these times (core/replay). The composition of the
// longest chain of waits shows what limits a step: on a faster GPU, the host can become the limit.
//
// If source and target are the same device, the result is exactly the recorded time. The ends of
// the interval combine the low (high) ends of all operations with a faster (slower) host, because
// hosts with the same GPU differ in speed. If only part of the time was traced, the GPU time is an
// estimate, and its error is added to the interval. Pure; one thread; a million kernels take less
// than a second.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/forecast/device/table.h"
#include "core/forecast/recorded_kernels.h"
#include "core/forecast/run_change.h"
#include "core/replay/host_times.h"
#include "core/replay/step_run.h"

namespace gprofx::forecast {

struct RunShare {  // a kind of kernels or copies, per step
  std::string name;
  WorkSource source = WorkSource::kNothing;
  KernelBound bound = KernelBound::kFloor;  // what limits most of its time
  double runs = 0;
  int64_t now_ns = 0, then_ns = 0;
};

struct RunNode {  // operations at a node of the call tree, over all steps
  NodeId node;
  int64_t now_ns = 0, then_ns = 0;
};

struct RunPart {  // one part of the longest chain, per step
  const char* id = "";
  const char* title = "";
  int64_t now_ns = 0, then_ns = 0;
};

struct RunUntold {  // a kind of work that could not be modelled
  std::string what;
  double share = 0;  // fraction of the time of all operations on the target
};

struct RecordedForecast {
  int64_t steps = 0;
  int64_t recorded_ns = 0;  // per step
  int64_t now_ns = 0;       // per step, without the known overhead of recording
  int64_t step_ns = 0, low_ns = 0, high_ns = 0;
  double busy_now = 0, busy_then = 0;         // fraction of the time in which the GPU works
  std::string limit_now, limit_then;          // "gpu", "host", "sync" (core/replay/step_run.h)
  int64_t work_now_ns = 0, work_then_ns = 0;  // sum of all operations, per step
  std::vector<RunPart> parts;
  std::vector<RunShare> shares;  // sorted by time on the target, largest first
  std::vector<RunNode> nodes;    // for grouping by layer or operator (run_levels.h)
  std::vector<RunUntold> untold;
  std::vector<std::string> assumed;
};

struct RunOptions {
  HostFactor recorded;    // factor that removes the cost of recording from the host's times
  double host_speed = 1;  // speed of the target's host / speed of the recorded host
  int gpus = 2;           // number of GPUs in each collective
  RunChange change;
};

class RecordedRun {
 public:
  // All references must outlive the run. `kernels` must be made from the whole profile. `windows`
  // says when records were made; empty = always.
  RecordedRun(const Profile& profile, const ReplayEvents& events, const RecordedKernels& kernels,
              std::span<const LevelWindow> windows);

  const StepGraphs& steps() const { return steps_; }
  // Why there is no forecast; "" if there is one.
  const std::string& reason() const { return steps_.reason; }
  RecordedForecast Forecast(const ForecastTable& table, const Device& source, const Device& target,
                            const RunOptions& options) const;

 private:
  void Say(const Device& source, const Device& target, const RunOptions& options,
           RecordedForecast& out) const;

  const Profile& profile_;
  const RecordedKernels& kernels_;
  StepGraphs steps_;
  std::vector<bool> collective_;  // by frame
  double traced_ = 1;             // fraction of the time with records
  double estimate_error_ = 0;     // relative error of the time of all GPU work, if traced_ < 1
};

}  // namespace gprofx::forecast
