// What the second pass needs to know of the whole, decided once from the survey: whose clock goes
// how, which files count, the shards, and what each group is measured by.
//
// A plan is made by one rank and sent to the others; it is a function of the survey and the options
// alone. Pure.
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
  std::optional<Axis> axis;        // nothing: steps where every lane has some, else time
  uint32_t shards = 10;            // by time
  std::optional<uint32_t> listed;  // the shard whose executions are listed
  uint64_t most_listed = 10;       // those with the most excess
};

struct PlanLane {
  LaneId id;
  uint32_t rank = 0;   // shard by rank: lanes of one process, or of one file that is a rank
  int64_t offset = 0;  // added to the times of the file
  std::vector<TimeRange> steps;  // on the common clock
  uint32_t warm_up = 0;
  bool tells_idle = false;  // and it has steps
};

// What one execution is compared with. A group whose durations fall into two clusters has two of
// them, one behind the other.
struct PlanGroup {
  Hash128 hash;
  Kind kind = Kind::kCompute;
  int64_t median = 0, log_median = 0;
  bool votes = false;
  uint32_t base = 0;  // the first of its kin
  bool has_clusters = false;
  int64_t threshold = 0;  // of the base: what is longer belongs to the next one
  int64_t log_whole = 0;  // LogOf the median of both clusters together
};

struct ClockNote {
  uint32_t file = 0;
  int64_t moved = 0;      // ns, beside what the file says of its clock itself
  int64_t residual = -1;  // median distance of the ends of collectives; -1 = none to compare
  size_t pairs = 0;
};

struct Plan {
  Axis axis = Axis::kTime;
  uint32_t shards = 1, bins = 1;  // bins: the blocks within shards, by time or step
  int64_t begin = 0, end = 0;     // first kernel start, last kernel end, on the common clock
  size_t most_collectives = 0;    // of a lane in a slice; 0 = nobody compares them
  uint32_t slices = 1;            // of time, in each of which collectives are matched by themselves
  uint32_t listed = UINT32_MAX;   // shard; none
  uint64_t most_listed = 0;
  std::vector<PlanLane> lanes;  // in order of id
  std::vector<PlanGroup> groups;
  std::vector<uint8_t> left_out;  // by file

  // Only where there is something to analyse.
  bool empty() const { return lanes.empty(); }

  std::string Write() const;
  static bool Read(std::string_view bytes, Plan& plan);
};

struct Planned {
  Plan plan;
  std::vector<ClockNote> clocks;
  std::vector<std::string> problems;  // one line each: files that do not count
  std::vector<std::string> notes;
  bool partial = false;
};

Planned MakePlan(const Survey& survey, const std::vector<FileEntry>& files, const Options& options);

// The shard by time: min(N - 1, (start - begin) * N / (end - begin)), without overflow.
uint32_t BinAt(int64_t time, int64_t begin, int64_t end, uint32_t bins);

}  // namespace gprofx::variability
