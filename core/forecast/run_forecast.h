// How long the steps of a recording would take on another device: each operation takes the time
// that it would take there, and the recorded graph is replayed with those (core/replay). What the
// longest chain of waiting is made of says what limits a step there: a faster GPU turns a step that
// the GPU limits into one that the host limits.
//
// source = target gives the recorded time exactly. Intervals: all operations at the lower ends of
// theirs and a faster host, or at the upper ends and a slower one: machines differ. Where records
// were made for a part of the time, what that may be off by is on top. Pure; one thread; a million
// kernels take less than a second.
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

struct RunShare {  // of a kind of kernels or copies, per step
  std::string name;
  WorkSource source = WorkSource::kNothing;
  KernelBound bound = KernelBound::kFloor;  // of the most time
  double runs = 0;
  int64_t now_ns = 0, then_ns = 0;
};

struct RunNode {  // of the operations at a node of the tree, in all steps
  NodeId node;
  int64_t now_ns = 0, then_ns = 0;
};

struct RunPart {  // of the longest chain, per step
  const char* id = "";
  const char* title = "";
  int64_t now_ns = 0, then_ns = 0;
};

struct RunUntold {  // what could not be modelled
  std::string what;
  double share = 0;  // of the time of all operations there
};

struct RecordedForecast {
  int64_t steps = 0;
  int64_t recorded_ns = 0;  // of a step
  int64_t now_ns = 0;       // without recording, as far as that is known
  int64_t step_ns = 0, low_ns = 0, high_ns = 0;
  double busy_now = 0, busy_then = 0;         // share of the time in which the GPU works
  std::string limit_now, limit_then;          // "gpu", "host", "sync" (core/replay/step_run.h)
  int64_t work_now_ns = 0, work_then_ns = 0;  // of all operations, per step
  std::vector<RunPart> parts;
  std::vector<RunShare> shares;  // largest there first
  std::vector<RunNode> nodes;    // for other groups (run_levels.h)
  std::vector<RunUntold> untold;
  std::vector<std::string> assumed;
};

struct RunOptions {
  HostFactor recorded;    // of the host's times where nothing is recorded
  double host_speed = 1;  // of the host there against the recorded one
  int gpus = 2;           // that take part in collectives
  RunChange change;
};

class RecordedRun {
 public:
  // What is given must outlive the run; `kernels` were made of the whole profile. `windows`: where
  // records were made; empty = always.
  RecordedRun(const Profile& profile, const ReplayEvents& events, const RecordedKernels& kernels,
              std::span<const LevelWindow> windows);

  const StepGraphs& steps() const { return steps_; }
  const std::string& reason() const { return steps_.reason; }  // why there can be no forecast
  RecordedForecast Forecast(const ForecastTable& table, const Device& source, const Device& target,
                            const RunOptions& options) const;

 private:
  void Say(const Device& source, const Device& target, const RunOptions& options,
           RecordedForecast& out) const;

  const Profile& profile_;
  const RecordedKernels& kernels_;
  StepGraphs steps_;
  std::vector<bool> collective_;  // by frame
  double traced_ = 1;             // share of the time in which records were made
  double estimate_error_ = 0;     // of the time of all GPU work, where only that part is known
};

}  // namespace gprofx::forecast
