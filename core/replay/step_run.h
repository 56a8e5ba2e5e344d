// Computes the times of replayed steps and the composition of the critical path. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/model/profile.h"
#include "core/replay/step_graphs.h"

namespace gprofx {

// Kinds of time on the critical path: the chain of dependencies that determines when the last step
// is done.
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
  const char* id;  // stable name for programs: "kernels"
  const char* title;
};
const ReplayLinkName& NameOf(ReplayLink link);

// GPU or host is the limit if it has more than this fraction of the chain.
inline constexpr double kMaxOf = 0.9;

// The result of a replay. A step lasts from the completion of the previous step to its own
// completion (ReplayGraph::StepsDone).
struct StepRun {
  std::vector<int64_t> steps;  // time of each step, ns
  // Time from the begin of a window until all work launched before it is done.
  int64_t lead_ns = 0;
  ReplayChain chain{};
  int64_t busy_ns = 0, all_ns = 0;

  int64_t step_ns() const;  // mean without the longest and the shortest fifth
  double busy() const;      // fraction of the time in which the GPU works
  // Returns what limits a step: "gpu", "host" or "sync" (GPU and host wait for each other). These
  // words never change.
  std::string limit() const;
};

// Replays all graphs; `models` has one model for each. `collective` must be the result of
// CommunicationFrames(profile).
StepRun RunSteps(const Profile& profile, const StepGraphs& steps,
                 const std::vector<ReplayModel>& models, const std::vector<bool>& collective);

// Like RunSteps(), but sets only `steps` and `lead_ns` of the result.
StepRun TimeSteps(const StepGraphs& steps, const std::vector<ReplayModel>& models);
int64_t StepWith(const StepGraphs& steps, double host_factor);

// Returns the step time of `then`, which must be a run of the same graphs as `now`. This is the
// step time of `now`, scaled by the ratio of the total times of all steps (without pauses). The
// trimmed mean of `then` is not used because it depends on which steps are the extremes. The result
// is never longer than the step time of `now` if nothing happens later than in `now`.
int64_t StepLike(const StepRun& now, const StepRun& then);

int64_t TrimmedMean(std::vector<int64_t> values);

}  // namespace gprofx
