// Makes the plan of the second pass: what each rank must know about all files before it reads its
// own. The plan holds the clock offsets, the files to leave out, the shards, and the reference
// durations of each group. Shards are compared with each other; they are pieces of time, steps,
// ranks or devices.
//
// Rank 0 makes the plan from the survey and the options, and sends it to the other ranks. Pure.
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
  std::optional<Axis> axis;        // nullopt: steps if every lane has steps, otherwise time
  uint32_t shards = 10;            // number of shards, used if the axis is time
  std::optional<uint32_t> listed;  // shard whose slowest executions are listed
  uint64_t most_listed = 10;       // maximum number of listed executions, largest excess first
};

struct PlanLane {
  LaneId id;
  // Shard of the lane if the axis is the rank: one per process, or per file that belongs to one
  // rank.
  uint32_t rank = 0;
  int64_t offset = 0;            // ns to add to the file's times to get the common clock
  std::vector<TimeRange> steps;  // time ranges on the common clock
  uint32_t warm_up = 0;
  bool tells_idle = false;  // FileFacts::tells_idle, and the lane has steps
};

// The reference durations of a group. A group whose durations form two clusters has two adjacent
// entries.
struct PlanGroup {
  Hash128 hash;
  Kind kind = Kind::kCompute;
  int64_t median = 0, log_median = 0;
  bool votes = false;
  uint32_t base = 0;  // position of the first entry of the same group
  bool has_clusters = false;
  int64_t threshold = 0;  // set in the first entry: longer executions belong to the next entry
  int64_t log_whole = 0;  // LogOf() of the median of both clusters together
};

struct ClockNote {
  uint32_t file = 0;
  // Correction of the offset, in ns: from collectives or, if none can correct a wrong clock, from
  // the assumption that both files begin together.
  int64_t moved = 0;
  // Median distance (ns) between matching ends of collectives after the correction; -1 = none.
  int64_t residual = -1;
  size_t pairs = 0;
};

struct Plan {
  Axis axis = Axis::kTime;
  uint32_t shards = 1, bins = 1;  // a bin is a block of time or of steps (cells.h)
  int64_t begin = 0, end = 0;     // first kernel start and last kernel end, on the common clock
  size_t most_collectives = 0;    // per lane and slice; 0 = collectives are not compared
  uint32_t slices = 1;  // number of time slices; each slice's collectives are matched independently
  uint32_t listed = UINT32_MAX;  // shard whose executions are listed; UINT32_MAX = none
  uint64_t most_listed = 0;
  std::vector<PlanLane> lanes;  // sorted by id
  std::vector<PlanGroup> groups;
  std::vector<uint8_t> left_out;  // by file: 1 = the file is not used

  // True if there is nothing to analyze.
  bool empty() const { return lanes.empty(); }

  std::string Write() const;
  static bool Read(std::string_view bytes, Plan& plan);
};

struct Planned {
  Plan plan;
  std::vector<ClockNote> clocks;
  std::vector<std::string> problems;  // one line for each file that is left out
  std::vector<std::string> notes;
  bool partial = false;
};

Planned MakePlan(const Survey& survey, const std::vector<FileEntry>& files, const Options& options);

// Divides [begin, end] into `bins` equal bins and returns the bin that contains `time`: min(bins -
// 1, (time - begin) * bins / (end - begin)), without overflow.
uint32_t BinAt(int64_t time, int64_t begin, int64_t end, uint32_t bins);

}  // namespace gprofx::variability
