// What the second pass over the files needs to know about all of them, decided once from the
// survey: clock offsets, which files count, the shards (the pieces of time, steps, ranks or devices
// that are compared), and the reference values of each group.
//
// One rank makes the plan and sends it to the others. It depends only on the survey and the
// options. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/variability/survey.h"

namespace gprofx::variability {

enum class Axis : uint8_t { kTime, kStep, kRank, kDevice };
std::string_view AxisWord(Axis axis);  // "time", "step", "rank", "device"

inline constexpr uint32_t kMaxShards = 4096;
inline constexpr uint32_t kBlocksPerShard = 16, kBlocksPerStep = 4;

struct Options {
  std::optional<Axis> axis;        // nullopt: steps if every lane has some, otherwise time
  uint32_t shards = 10;            // when sharding by time
  std::optional<uint32_t> listed;  // shard whose executions are listed
  uint64_t most_listed = 10;       // maximum listed, largest excess first
};

struct PlanLane {
  LaneId id;
  uint32_t rank = 0;             // shard by rank: a process, or a file that is a rank
  int64_t offset = 0;            // to add to the file's times
  std::vector<TimeRange> steps;  // on the common clock
  uint32_t warm_up = 0;
  bool tells_idle = false;  // FileFacts::tells_idle, and the lane has steps
};

// Reference for an execution. A group whose durations form two clusters has two adjacent entries.
struct PlanGroup {
  Hash128 hash;
  Kind kind = Kind::kCompute;
  int64_t median = 0, log_median = 0;
  bool votes = false;
  uint32_t base = 0;  // first entry of the same group
  bool has_clusters = false;
  int64_t threshold = 0;  // of the base: longer executions belong to the next entry
  int64_t log_whole = 0;  // LogOf the median of both clusters together
};

struct ClockNote {
  uint32_t file = 0;
  int64_t moved = 0;      // ns, in addition to the difference of the recorded real times
  int64_t residual = -1;  // median distance of collectives' ends; -1 = none
  size_t pairs = 0;
};

struct Plan {
  Axis axis = Axis::kTime;
  uint32_t shards = 1, bins = 1;  // bins: blocks within shards, by time or step
  int64_t begin = 0, end = 0;     // first kernel start, last kernel end, on the common clock
  size_t most_collectives = 0;    // per lane and slice; 0 = collectives are not compared
  uint32_t slices = 1;            // time slices in which collectives are matched independently
  uint32_t listed = UINT32_MAX;   // shard; UINT32_MAX = none
  uint64_t most_listed = 0;
  std::vector<PlanLane> lanes;  // sorted by id
  std::vector<PlanGroup> groups;
  std::vector<uint8_t> left_out;  // by file

  // True if there is nothing to analyze.
  bool empty() const { return lanes.empty(); }

  std::string Write() const;
  static bool Read(std::string_view bytes, Plan& plan);
};

struct Planned {
  Plan plan;
  std::vector<ClockNote> clocks;
  std::vector<std::string> problems;  // one line for each file that does not count
  std::vector<std::string> notes;
  bool partial = false;
};

Planned MakePlan(const Survey& survey, const std::vector<FileEntry>& files, const Options& options);

// Returns the bin of a time, of `bins` equal ones from `begin` to `end`: min(bins - 1, (time -
// begin) * bins / (end - begin)), without overflow.
uint32_t BinAt(int64_t time, int64_t begin, int64_t end, uint32_t bins);

}  // namespace gprofx::variability
