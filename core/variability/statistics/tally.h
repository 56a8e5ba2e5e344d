// Defines the result of the second pass over the files: what happened in each shard (plan.h), what
// ran at the same time, and how long each execution took compared with its group. All values are
// integers, so tallies merge to the same result in any order.
//
// An execution counts with its whole duration in the bin in which it starts. Busy time is cut at
// step borders. `r` is the logarithm of a duration over the median of its group, in units of
// 1/65536 of log2, limited to kMaxLog (16 doublings) in both directions. One thread per object.
// Memory: one cell for each combination of group, lane and bin that occurs.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/gpu/idle_share.h"
#include "core/variability/collectives.h"
#include "core/variability/plan.h"
#include "core/variability/stages/cells.h"

namespace gprofx::variability {

inline constexpr int64_t kMaxLog = 16 * kLogOne;

struct ShardTally {
  // Kernels that start in the shard, including kernels of groups that do not vote.
  uint64_t kernels = 0;
  int64_t kernel_ns = 0;
};

// Bit in a key of Tally::effects: the effect is of a group with both clusters together.
inline constexpr uint32_t kWhole = uint32_t{1} << 31;
// Pairs of executions of a group: one that had a kind of work beside it (treated), and the nearest
// clean one (control; pairs.h).
struct EffectTally {
  uint64_t treated = 0, controls = 0;
  uint64_t wins = 0, losses = 0;  // pairs in which the treated execution took longer; shorter
  int64_t difference = 0;         // ns, sum over all pairs
  // How many pairs have each difference: `r` of the treated execution minus `r` of its control, in
  // kPairUnit.
  std::map<int32_t, uint64_t> pairs;
};
inline constexpr int64_t kPairUnit = 64;

struct LagTally {  // `r` of consecutive executions on a lane, in kPairUnit
  uint64_t n = 0;
  int64_t x = 0, y = 0, xx = 0, yy = 0, xy = 0;
};

struct ListedEvent {   // an execution of Plan::listed
  int64_t excess = 0;  // ns over the median of its group
  int64_t start = 0, duration = 0;
  uint32_t group = 0, lane = 0, stream = 0;
  uint8_t beside = 0;  // bits of Beside
  auto operator<=>(const ListedEvent&) const = default;
};

// Busy parts of a step: compute, exposed communication, exposed copies. The rest is idle.
inline constexpr size_t kParts = 3;
// Number of sums of excess that a step has: one for each Beside, and a last one for executions with
// nothing beside them. The excess of an execution is its duration minus the median of its group. An
// execution with several kinds of work beside it counts for the first of them.
inline constexpr size_t kExcesses = kBesides + 1;
struct StepTally {
  std::array<int64_t, kParts> parts{};
  std::array<int64_t, kExcesses> excess{};
  // Set of groups whose clean executions took clearly longer in the step. Bit i represents the
  // groups with number modulo 64 = i.
  uint64_t stretched = 0;
  // Time (ns) that CPU samples represent in the step's idle time outside of waiting calls, by
  // HostClass. Sums over all threads may exceed the idle time.
  std::array<int64_t, kHostClasses> sampled{};
};

struct Tally {
  std::map<uint32_t, std::string> errors;  // error texts, by file
  std::vector<ShardTally> shards;
  uint64_t outside = 0;  // kernels outside of all steps; counted if the axis is the step
  Cells cells;
  std::map<std::pair<uint32_t, uint8_t>, EffectTally> effects;  // (group or base | kWhole, Beside)
  std::map<uint32_t, LagTally> lags;                            // by group
  std::map<std::pair<uint32_t, uint32_t>, StepTally> steps;     // (lane, step)
  // Idle time in waiting calls and full queues: name in core/gpu/gpu.h -> (lane, step) -> ns.
  std::map<std::string, std::map<std::pair<uint32_t, uint32_t>, int64_t>> idle;
  // Collectives that are not matched yet; Write() omits them.
  std::vector<CollectiveTally> collectives;
  Matches matches;
  std::vector<ListedEvent> listed;  // Write() omits them; largest excess first
  // Distribution of `r` in each shard: (shard, group with clusters, or 0) -> (r + kMaxLog) /
  // kPairUnit.
  std::map<std::pair<uint32_t, uint32_t>, Spread> spreads;

  void Merge(Tally&& other, const Plan& plan);
  void List(const Plan& plan, const ListedEvent& event);
  void Settle(const Plan& plan);
  bool Fits(const Plan& plan) const;  // true if all ids exist in the plan
  std::string Write() const;
  static bool Read(std::string_view bytes, Tally& tally);
};

inline constexpr size_t kShardCells = 1024;

// Returns the bin (Plan::bins) of an event that starts at `start` on a lane. Returns -1 if the axis
// is the step and the event is in no step.
int64_t BinOf(const Plan& plan, uint32_t lane, int64_t start);
// Returns the shard that contains a bin.
uint32_t ShardOf(const Plan& plan, uint32_t lane, uint32_t bin);

}  // namespace gprofx::variability
