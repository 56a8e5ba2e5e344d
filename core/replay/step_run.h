// Times of replayed steps, and the composition of the critical path. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/model/profile.h"
#include "core/replay/step_graphs.h"

namespace gprofx {

// Kinds of time on the critical path, which is the chain of dependencies that determines when the
// last step is done.
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

inline constexpr double kMaxOf = 0.9;  // fraction of the chain from which GPU or host is the limit

// The time of a step reaches from the moment at which the previous step was done to the moment at
// which this step is done (ReplayGraph::StepsDone).
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

// Replays all graphs, with one model for each. `collective` is the result of
// CommunicationFrames(profile).
StepRun RunSteps(const Profile& profile, const StepGraphs& steps,
                 const std::vector<ReplayModel>& models, const std::vector<bool>& collective);

// The same, but sets only `steps` and `lead_ns` of the result.
StepRun TimeSteps(const StepGraphs& steps, const std::vector<ReplayModel>& models);
int64_t StepWith(const StepGraphs& steps, double host_factor);

// Returns the step time of `then`, a run of the same graphs as `now`: the step time of `now`,
// scaled by the ratio of the total times of all steps (pauses excluded). The trimmed mean of `then`
// is not used, because it depends on which steps are the extremes. The result is never longer than
// the step time of `now` if nothing happens later than in `now`.
int64_t StepLike(const StepRun& now, const StepRun& then);

int64_t TrimmedMean(std::vector<int64_t> values);

}  // namespace gprofx
