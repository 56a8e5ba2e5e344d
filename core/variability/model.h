// What varied, when, where and why: everything that is printed of an analysis. Faces make words of
// it and add nothing up.
//
// Times are ns; ratios are 1 = as usual; shares are of 1. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/variability/plan.h"
#include "core/variability/statistics/tally.h"

namespace gprofx::variability {

// What explains a finding, and how much of it. Nothing that was tested does: kNone.
enum class Cause : uint8_t { kNone, kBeside, kCommon, kWaiting, kOneRank };

struct Explanation {
  Cause cause = Cause::kNone;
  Beside beside = Beside::kCopy;  // with kBeside
  double share = 0;               // of the effect
};

struct LaneRow {
  LaneId id;
  std::string name;  // "rank 3", "pid 17 gpu 1", with the file where several have the same
  uint32_t rank_shard = 0;
  uint64_t kernels = 0, others = 0;
  int64_t begin = 0, end = 0;  // on the common clock, from the begin of all
  uint64_t steps = 0;
};

struct GroupRow {
  GroupKey key;
  int cluster = 0;  // 1, 2: the shorter and the longer of two clusters; 0 = there is one
  uint64_t n = 0, warm_up = 0;
  bool exact = true;  // quantiles are of the values themselves, else within 0.1 to 1 %
  bool votes = false;
  double median = 0, mad = 0, p25 = 0, p75 = 0, p95 = 0, p99 = 0, least = 0, most = 0;
  double relative_iqr = 0;  // (p75 - p25) / median
  double total_ns = 0;
  double excess_ns = 0;     // sum - n * median
  double trend = 0;         // change from the begin to the end, as a share of the median
  double lag1 = 0;          // correlation with the execution before
  uint32_t first_cell = 0;  // of the plan's groups: PlanGroup position
};

struct ShardRow {
  std::string name;
  uint64_t kernels = 0;
  int64_t kernel_ns = 0;
  uint64_t voting = 0;  // executions of groups that vote
  double expected = 0;  // kernels: median over the shards
  double ratio = 1;     // median of duration by the group's median
  double relative_iqr = 0;
  double excess_ns = 0;  // against the medians of the groups
  double p = 1;          // of its blocks against the others'
  bool is_finding = false;
  double waiting_ns = 0;  // within collectives, for the last to arrive
};

struct Finding {
  std::optional<uint32_t> group;  // row; nothing: most groups of the shard together
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
  bool tested = false;  // enough pairs for an interval
  double ratio = 1, low = 1, high = 1;
  double p = 1;  // sign test
  bool is_finding = false;
  double excess_ns = 0;  // treated executions times the median effect
  double excess_per_step_ns = 0;
};

struct LateRow {
  uint32_t lane = 0;                   // row
  uint64_t collectives = 0, last = 0;  // that it took part in; in which it came last
  double waited_ns = 0;                // its own waiting for others
  double caused_ns = 0;                // how much later than the one before it came, summed up
  double p = 1;
  bool is_finding = false;
  // What it did since the collective before, against the others (mean of differences).
  double more_busy_ns = 0, more_idle_ns = 0;
};

struct CollectiveRow {
  uint32_t group = 0;
  uint64_t n = 0;  // matched over two lanes or more
  double waiting_ns = 0, transfer_ns = 0;
};

struct StepPart {
  // "compute", "exposed communication", "exposed copies"; idle time by cause, as core/gpu/gpu.h
  // names it
  // ("idle.data_loading"), or "idle" where no file tells what hosts did.
  std::string name;
  double median_ns = 0;
  double share = 0;                // of the variance of the step time; all add up to 1
  std::vector<double> covariance;  // with the parts in order, ns^2
};

struct LaneSteps {    // of one lane alone, without warm-up
  uint32_t lane = 0;  // row
  uint64_t steps = 0;
  double median_ns = 0, variance_ns2 = 0;
  std::vector<double> shares;  // of its variance, by part; all 0 where nothing varies
};

struct StepModel {
  uint64_t steps = 0;  // over all lanes, without warm-up
  double median_ns = 0, p25 = 0, p75 = 0, p95 = 0, most = 0;
  std::vector<StepPart> parts;   // empty: there are no steps
  std::vector<LaneSteps> lanes;  // those with steps; the largest variance first
};

// Why steps take longer. In this order: what lies deeper comes first, and steps that it explains
// are no evidence for what follows from it.
enum class StepCause : uint8_t {
  kCpu,             // threads could run and had no core
  kAllocator,       // cudaMalloc, cudaFree
  kFaults,          // pages that came from a disk
  kLoader,          // the data came late
  kClock,           // the GPU's clock was lower
  kCopy,            // copies: beside the work, or that it waits for
  kAnotherProcess,  // everything on the GPU took longer, its clock was the same and nothing beside
                    // it
  kWholeGpu,        // the same where no clock is known
  kKernel,          // other kernels beside the work
  kLateRank,        // a rank came late to collectives, and nothing of the above says why
  kCollective,      // collectives beside the work
};
inline constexpr size_t kStepCauses = 11;

struct CauseRow {
  StepCause cause = StepCause::kCpu;
  uint64_t steps = 0, pairs = 0;               // affected; each with the nearest one that is not
  double ratio = 1, low = 1, high = 1, p = 1;  // of step times, by pairs
  double excess_ns = 0,
         excess_per_step_ns = 0;  // what it explains, over all affected; by all steps
  double share = 0;               // of the excess of the affected steps
  double value = 0, usual = 0;    // of what it was told by: ns, MHz or a number; in the pairs
  std::optional<uint32_t> lane;   // row: that it concerns most, or that is late; none = all alike
};

struct Unexplained {
  uint64_t steps = 0;  // clearly longer ones
  double excess_ns = 0;
  std::string part;  // of StepPart, idle as one: where most of it lies
};

struct EventRow {
  uint32_t group = 0, lane = 0;  // rows
  uint32_t stream = 0;
  int64_t start = 0, duration = 0;  // start from the begin of all
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
  std::vector<std::string> clock_files;  // beside them
  std::vector<GroupRow> groups;          // by excess
  uint64_t silent_groups = 0;            // with fewer executions than vote
  std::vector<ShardRow> shards;          // in order
  std::vector<Finding> findings;         // by excess
  std::vector<EffectRow> effects;        // by excess
  std::vector<LateRow> late;             // by what they caused
  std::optional<uint32_t> listed;        // the shard whose executions these are
  std::vector<EventRow> events;          // by excess
  std::vector<CollectiveRow> collectives;
  double waiting_ns = 0, transfer_ns = 0;
  StepModel steps;
  std::vector<CauseRow> causes;  // by excess
  Unexplained unexplained;       // of steps
  // Excess ns of each lane (row) in each bin of time, for a heat map; bins * lanes numbers.
  uint32_t heat_bins = 0;
  std::vector<double> heat;
  std::vector<std::string> problems, notes;
};

Model MakeModel(const Survey& survey, const Planned& planned, const Tally& tally,
                const std::vector<FileEntry>& files);

}  // namespace gprofx::variability
