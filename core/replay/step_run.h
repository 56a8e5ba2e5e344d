// Times of replayed steps, and the composition of the critical path. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/model/profile.h"
#include "core/replay/step_graphs.h"

namespace gprofx {

// Parts of the critical path.
enum ReplayLink : size_t {
  kKernels,
  kCopies,
  kCollectives,
  kGaps,
  kLatency,
  kHost,
  kReturn,
  kReplayLinks
};
using ReplayChain = std::array<int64_t, kReplayLinks>;  // ns

struct ReplayLinkName {
  const char* id;  // stable: "kernels"
  const char* title;
};
const ReplayLinkName& NameOf(ReplayLink link);

inline constexpr double kMaxOf = 0.9;  // fraction of the time from which this is the limit

// A step's time is from the moment at which all of the previous step was done to the moment at
// which all of its own is done.
struct StepRun {
  std::vector<int64_t> steps;  // ns
  int64_t lead_ns = 0;         // from the begin of a window until earlier work is done
  ReplayChain chain{};
  int64_t busy_ns = 0, all_ns = 0;

  int64_t step_ns() const;  // mean without the longest and the shortest fifth
  double busy() const;      // fraction of the time in which the GPU worked
  // Stable word for what limits a step: "gpu", "host" or "sync" (they wait for each other).
  std::string limit() const;
};

// One model for each graph. `collective`: CommunicationFrames(profile).
StepRun RunSteps(const Profile& profile, const StepGraphs& steps,
                 const std::vector<ReplayModel>& models, const std::vector<bool>& collective);

// Computes only the steps and the lead.
StepRun TimeSteps(const StepGraphs& steps, const std::vector<ReplayModel>& models);
int64_t StepWith(const StepGraphs& steps, double host_factor);

// Scales the step time of `now` by the total time of all steps in `then`, a run of the same graphs,
// without pauses. A trimmed mean depends on which steps are the extremes; this result is never
// longer if nothing is later.
int64_t StepLike(const StepRun& now, const StepRun& then);

int64_t TrimmedMean(std::vector<int64_t> values);

}  // namespace gprofx
