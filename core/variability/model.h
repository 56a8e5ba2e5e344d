// What varied, when, where and why: everything that an analysis prints. User interfaces put it into
// words and compute nothing.
//
// Times are ns; a ratio of 1 means as long as the median. Shares are fractions of 1. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/variability/plan.h"
#include "core/variability/statistics/tally.h"

namespace gprofx::variability {

// What explains a finding, and how much of it. kNone: no tested cause explains it.
enum class Cause : uint8_t { kNone, kBeside, kCommon, kWaiting, kOneRank };

struct Explanation {
  Cause cause = Cause::kNone;
  Beside beside = Beside::kCopy;  // valid for kBeside
  double share = 0;               // of the effect
};

struct LaneRow {
  LaneId id;
  std::string name;  // "rank 3", "pid 17 gpu 1"; with the file if ambiguous
  uint32_t rank_shard = 0;
  uint64_t kernels = 0, others = 0;
  int64_t begin = 0, end = 0;  // common clock, from the start of all files
  uint64_t steps = 0;
};

struct GroupRow {
  GroupKey key;
  int cluster = 0;  // 1, 2: the shorter, longer of two clusters; 0 = single
  uint64_t n = 0, warm_up = 0;
  bool exact = true;  // quantiles are exact, otherwise within 0.1 to 1 %
  bool votes = false;
  double median = 0, mad = 0, p25 = 0, p75 = 0, p95 = 0, p99 = 0, least = 0, most = 0;
  double relative_iqr = 0;  // (p75 - p25) / median
  double total_ns = 0;
  double excess_ns = 0;     // sum - n * median
  double trend = 0;         // change from start to end, fraction of the median
  double lag1 = 0;          // correlation with the previous execution
  uint32_t first_cell = 0;  // PlanGroup position
};

struct ShardRow {
  std::string name;
  uint64_t kernels = 0;
  int64_t kernel_ns = 0;
  uint64_t voting = 0;  // executions of groups that vote
  double expected = 0;  // median of `kernels` over the shards
  double ratio = 1;     // median of duration over the group's median
  double relative_iqr = 0;
  double excess_ns = 0;  // against the medians of the groups
  double p = 1;          // test of its blocks against those of the others
  bool is_finding = false;
  double waiting_ns = 0;  // within collectives, until the last lane arrives
};

struct Finding {
  std::optional<uint32_t> group;  // row; nullopt: what most groups of the shard have in common
  uint32_t shard = 0;
  uint64_t n = 0;
  double ratio = 1;  // against the other shards
  double excess_ns = 0;
  double excess_per_step_ns = 0;  // 0 where there are no steps
  double p = 1;
  Explanation why;
};

struct EffectRow {
  uint32_t group = 0;  // row
  Beside beside = Beside::kCopy;
  uint64_t treated = 0, controls = 0, pairs = 0;
  bool tested = false;  // there were enough pairs for an interval
  double ratio = 1, low = 1, high = 1;
  double p = 1;  // sign test
  bool is_finding = false;
  double excess_ns = 0;  // treated executions times median effect
  double excess_per_step_ns = 0;
};

struct LateRow {
  uint32_t lane = 0;                   // row
  uint64_t collectives = 0, last = 0;  // operations; those in which it came last
  double waited_ns = 0;                // its own waiting for other lanes
  double caused_ns = 0;                // total time that it came after the second to last
  double p = 1;
  bool is_finding = false;
  // Difference from the other lanes since the previous collective (mean).
  double more_busy_ns = 0, more_idle_ns = 0;
};

struct CollectiveRow {
  uint32_t group = 0;
  uint64_t n = 0;  // matched over at least two lanes
  double waiting_ns = 0, transfer_ns = 0;
};

struct StepPart {
  // "compute", "exposed communication", "exposed copies"; idle time by cause, named as in
  // core/gpu/gpu.h ("idle.data_loading"), or "idle" if no file has host data.
  std::string name;
  double median_ns = 0;
  double share = 0;                // of the variance of step time; they sum up to 1
  std::vector<double> covariance;  // with each part, in order, ns^2
};

struct LaneSteps {    // one lane, without warm-up
  uint32_t lane = 0;  // row
  uint64_t steps = 0;
  double median_ns = 0, variance_ns2 = 0;
  std::vector<double> shares;  // of its variance, by part; all 0 if nothing varies
};

struct StepModel {
  uint64_t steps = 0;  // over all lanes, without warm-up
  double median_ns = 0, p25 = 0, p75 = 0, p95 = 0, most = 0;
  std::vector<StepPart> parts;   // empty: there are no steps
  std::vector<LaneSteps> lanes;  // with steps; largest variance first
};

// Why steps take longer. Deeper causes come first. A step that one cause explains does not count as
// evidence for later causes.
enum class StepCause : uint8_t {
  kCpu,             // threads were runnable and had no core
  kAllocator,       // cudaMalloc, cudaFree
  kFaults,          // pages read from disk
  kLoader,          // the data came late
  kClock,           // the GPU's clock was lower
  kCopy,            // copies: beside the work, or awaited by it
  kAnotherProcess,  // all work slower, same GPU clock, nothing beside it
  kWholeGpu,        // the same, GPU clock unknown
  kKernel,          // other kernels beside the work
  kLateRank,        // a rank came late to collectives, cause unknown
  kCollective,      // collectives beside the work
};
inline constexpr size_t kStepCauses = 11;

struct CauseRow {
  StepCause cause = StepCause::kCpu;
  uint64_t steps = 0, pairs = 0;  // affected; pairs of an affected and an unaffected step
  double ratio = 1, low = 1, high = 1, p = 1;  // of step times, from pairs
  double excess_ns = 0,
         excess_per_step_ns = 0;  // explained, over all affected; by all steps
  double share = 0;               // of the excess of affected steps
  double value = 0, usual = 0;    // evidence (ns, MHz or count): affected, unaffected
  std::optional<uint32_t> lane;   // row: mainly concerned or late; nullopt = all alike
};

struct Unexplained {
  uint64_t steps = 0;  // clearly longer steps
  double excess_ns = 0;
  std::string part;  // StepPart with most of it; idle as one part
};

struct EventRow {
  uint32_t group = 0, lane = 0;  // rows
  uint32_t stream = 0;
  int64_t start = 0, duration = 0;  // start: from the start of all files
  double excess_ns = 0;
  uint8_t beside = 0;  // bits of Beside
};

struct Model {
  Axis axis = Axis::kTime;
  bool partial = false;
  int64_t begin = 0, end = 0;  // of all kernels
  uint64_t files = 0, kernels = 0, others = 0, outside = 0, warm_up = 0;
  std::vector<std::string> devices;  // models
  std::vector<LaneRow> lanes;
  std::vector<ClockNote> clocks;
  std::vector<std::string> clock_files;  // parallel to `clocks`
  std::vector<GroupRow> groups;          // sorted by excess
  uint64_t silent_groups = 0;            // too few executions to vote
  std::vector<ShardRow> shards;          // in order
  std::vector<Finding> findings;         // sorted by excess
  std::vector<EffectRow> effects;        // sorted by excess
  std::vector<LateRow> late;             // sorted by caused time
  std::optional<uint32_t> listed;        // shard whose executions are listed
  std::vector<EventRow> events;          // sorted by excess
  std::vector<CollectiveRow> collectives;
  double waiting_ns = 0, transfer_ns = 0;
  StepModel steps;
  std::vector<CauseRow> causes;  // sorted by excess
  Unexplained unexplained;       // of steps
  // Heat map: excess ns of each lane (row) in each time bin; bins * lanes values.
  uint32_t heat_bins = 0;
  std::vector<double> heat;
  std::vector<std::string> problems, notes;
};

Model MakeModel(const Survey& survey, const Planned& planned, const Tally& tally,
                const std::vector<FileEntry>& files);

}  // namespace gprofx::variability
