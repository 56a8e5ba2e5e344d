// What replayed steps take, and what the longest chain of waiting is made of. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/model/profile.h"
#include "core/replay/step_graphs.h"

namespace gprofx {

// Parts of the longest chain.
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

inline constexpr double kMaxOf = 0.9;  // of the time: this is what limits

// A step's time is from the moment at which all of the step before was done to the moment at which
// all of its own is.
struct StepRun {
  std::vector<int64_t> steps;  // ns
  int64_t lead_ns = 0;         // from the begin of a window until what came before it is done
  ReplayChain chain{};
  int64_t busy_ns = 0, all_ns = 0;

  int64_t step_ns() const;  // mean without the longest and the shortest fifth
  double busy() const;      // share of the time in which the GPU worked
  // Stable word of what limits a step: "gpu", "host" or "sync" (they wait for each other).
  std::string limit() const;
};

// One model for each graph. `collective`: CommunicationFrames(profile).
StepRun RunSteps(const Profile& profile, const StepGraphs& steps,
                 const std::vector<ReplayModel>& models, const std::vector<bool>& collective);

// Steps and lead alone.
StepRun TimeSteps(const StepGraphs& steps, const std::vector<ReplayModel>& models);
int64_t StepWith(const StepGraphs& steps, double host_factor);

// The step of `then`, a run of the same graphs, by what all steps take there against `now`, without
// pauses. A mean without extremes depends on which they are; this is never longer where nothing is
// later.
int64_t StepLike(const StepRun& now, const StepRun& then);

int64_t TrimmedMean(std::vector<int64_t> values);

}  // namespace gprofx
