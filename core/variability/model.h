// Defines the result of an analysis: what varied, when, where and why. Reports print it and compute
// nothing.
//
// Times are in ns. A ratio is relative to a median: 1 means equal. Shares are fractions of 1.
// Fields named `group` or `lane` are positions in Model::groups and Model::lanes if a comment says
// "row". Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/variability/plan.h"
#include "core/variability/statistics/tally.h"

namespace gprofx::variability {

// The cause that explains a finding. kNone: no tested cause explains it.
enum class Cause : uint8_t { kNone, kBeside, kCommon, kWaiting, kOneRank };

struct Explanation {
  Cause cause = Cause::kNone;
  Beside beside = Beside::kCopy;  // valid for kBeside
  double share = 0;               // fraction of the effect that the cause explains
};

struct LaneRow {
  LaneId id;
  std::string name;  // "rank 3", "pid 17 gpu 1"; with the file, if ambiguous without
  uint32_t rank_shard = 0;
  uint64_t kernels = 0, others = 0;
  int64_t begin = 0, end = 0;  // on the common clock, relative to the first start in all files
  uint64_t steps = 0;
};

struct GroupRow {
  GroupKey key;
  int cluster = 0;  // 1 or 2: the shorter or longer of two clusters; 0 = the whole group
  uint64_t n = 0, warm_up = 0;
  bool exact = true;  // false: quantiles are accurate to within 0.1 to 1 %
  bool votes = false;
  double median = 0, mad = 0, p25 = 0, p75 = 0, p95 = 0, p99 = 0, least = 0, most = 0;
  double relative_iqr = 0;  // (p75 - p25) / median
  double total_ns = 0;
  double excess_ns = 0;     // sum - n * median
  double trend = 0;         // change from start to end, as a fraction of the median
  double lag1 = 0;          // correlation of a duration with that of the previous execution
  uint32_t first_cell = 0;  // first cell of the row: position in Plan::groups
};

struct ShardRow {
  std::string name;
  uint64_t kernels = 0;
  int64_t kernel_ns = 0;
  uint64_t voting = 0;  // executions of groups that vote (PlanGroup::votes)
  double expected = 0;  // median of `kernels` over the shards
  double ratio = 1;     // median over its executions of duration / median of the group
  double relative_iqr = 0;
  double excess_ns = 0;  // ns above the medians of the groups
  double p = 1;          // permutation test of its blocks against the blocks of the other shards
  bool is_finding = false;
  double waiting_ns = 0;  // time that lanes waited in collectives for the last lane
};

struct Finding {
  // Row of the group; nullopt: the effect is common to most groups of the shard.
  std::optional<uint32_t> group;
  uint32_t shard = 0;
  uint64_t n = 0;
  double ratio = 1;  // relative to the other shards
  double excess_ns = 0;
  double excess_per_step_ns = 0;  // 0 if there are no steps
  double p = 1;
  Explanation why;
};

struct EffectRow {
  uint32_t group = 0;  // row in Model::groups
  Beside beside = Beside::kCopy;
  uint64_t treated = 0, controls = 0, pairs = 0;
  bool tested = false;  // there were enough pairs for a confidence interval
  double ratio = 1, low = 1, high = 1;
  double p = 1;  // sign test
  bool is_finding = false;
  double excess_ns = 0;  // `treated` times the median effect
  double excess_per_step_ns = 0;
};

struct LateRow {
  uint32_t lane = 0;  // row in Model::lanes
  // Number of operations, and of those in which this lane arrived last.
  uint64_t collectives = 0, last = 0;
  double waited_ns = 0;  // time in which it waited for other lanes
  // Sum of the times from the arrival of the second to last lane to that of this lane.
  double caused_ns = 0;
  double p = 1;
  bool is_finding = false;
  // Mean busy and idle time since the previous collective, minus that of the other lanes.
  double more_busy_ns = 0, more_idle_ns = 0;
};

struct CollectiveRow {
  uint32_t group = 0;
  uint64_t n = 0;  // operations matched over at least two lanes
  double waiting_ns = 0, transfer_ns = 0;
};

struct StepPart {
  // "compute", "exposed communication", "exposed copies", or a cause of idle time with its name in
  // core/gpu/gpu.h ("idle.data_loading"). If no file has host data, all idle time is "idle".
  std::string name;
  double median_ns = 0;
  double share = 0;                // share of the variance of step time; all shares sum up to 1
  std::vector<double> covariance;  // with each part, in the order of StepModel::parts; ns^2
};

struct LaneSteps {    // one lane, without warm-up
  uint32_t lane = 0;  // row in Model::lanes
  uint64_t steps = 0;
  double median_ns = 0, variance_ns2 = 0;
  // Share of each part in the variance of the lane's step time; all 0 if the step time does not
  // vary.
  std::vector<double> shares;
};

struct StepModel {
  uint64_t steps = 0;  // over all lanes, without warm-up
  double median_ns = 0, p25 = 0, p75 = 0, p95 = 0, most = 0;
  std::vector<StepPart> parts;   // empty if there are no steps
  std::vector<LaneSteps> lanes;  // lanes with steps, largest variance first
};

// The causes of longer steps. They are tested in this order, because deeper causes come first: a
// step that one cause explains is no evidence for later causes.
enum class StepCause : uint8_t {
  kCpu,             // threads were runnable and had no core
  kAllocator,       // time in cudaMalloc and cudaFree
  kFaults,          // pages read from disk
  kLoader,          // waiting for a data loader
  kClock,           // the GPU's clock was lower
  kCopy,            // copies that ran beside the work, or that the step waited for
  kAnotherProcess,  // all work was slower at the same GPU clock, with nothing beside it
  kWholeGpu,        // the same, but the GPU clock is unknown
  kKernel,          // other kernels ran beside the work
  kLateRank,        // another rank came late to collectives, for an unknown reason
  kCollective,      // collectives ran beside the work
};
inline constexpr size_t kStepCauses = 11;

struct CauseRow {
  StepCause cause = StepCause::kCpu;
  uint64_t steps = 0, pairs = 0;  // affected steps; pairs of an affected and an unaffected step
  // Step time of affected steps divided by that of unaffected steps, from the pairs: median,
  // interval and p-value.
  double ratio = 1, low = 1, high = 1, p = 1;
  // Time that the cause explains: sum over affected steps, and that sum divided by all steps.
  double excess_ns = 0, excess_per_step_ns = 0;
  double share = 0;  // explained share of the excess of affected steps
  // Evidence (ns, MHz or count): `value` in affected steps, `usual` in others.
  double value = 0, usual = 0;
  // Row of the lane that is mainly affected, or of the late lane; nullopt = all lanes alike.
  std::optional<uint32_t> lane;
};

struct Unexplained {
  uint64_t steps = 0;  // steps that clearly took longer and that no cause explains
  double excess_ns = 0;
  // Name of the StepPart that has most of the excess; all idle time counts as one part.
  std::string part;
};

struct EventRow {
  uint32_t group = 0, lane = 0;  // rows in Model::groups and Model::lanes
  uint32_t stream = 0;
  int64_t start = 0, duration = 0;  // `start` is relative to the first start in all files
  double excess_ns = 0;
  uint8_t beside = 0;  // bits of Beside
};

struct Model {
  Axis axis = Axis::kTime;
  bool partial = false;
  int64_t begin = 0, end = 0;  // first start and last end of all kernels
  uint64_t files = 0, kernels = 0, others = 0, outside = 0, warm_up = 0;
  std::vector<std::string> devices;  // device models
  std::vector<LaneRow> lanes;
  std::vector<ClockNote> clocks;
  std::vector<std::string> clock_files;  // file of each of `clocks`
  std::vector<GroupRow> groups;          // sorted by excess
  uint64_t silent_groups = 0;            // groups with too few executions to vote
  std::vector<ShardRow> shards;          // in the order of the plan
  std::vector<Finding> findings;         // sorted by excess
  std::vector<EffectRow> effects;        // sorted by excess
  std::vector<LateRow> late;             // sorted by caused time
  std::optional<uint32_t> listed;        // shard whose executions `events` lists
  std::vector<EventRow> events;          // sorted by excess
  std::vector<CollectiveRow> collectives;
  double waiting_ns = 0, transfer_ns = 0;
  StepModel steps;
  std::vector<CauseRow> causes;  // sorted by excess
  Unexplained unexplained;       // the excess of steps that no cause explains
  // Heat map: excess in ns of each lane (a row) in each time bin. It has heat_bins * lanes.size()
  // values.
  uint32_t heat_bins = 0;
  std::vector<double> heat;
  std::vector<std::string> problems, notes;
};

Model MakeModel(const Survey& survey, const Planned& planned, const Tally& tally,
                const std::vector<FileEntry>& files);

}  // namespace gprofx::variability
