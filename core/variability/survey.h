// Defines the result of the first pass over the files: their lanes and groups (event.h), their time
// ranges, and the durations of each group. It consists of integers and sets, so surveys of parts
// merge to the same result in any order.
//
// FileSurvey::blocks is the directory of a file: its blocks, with the time range of each. If one
// rank reads a file alone, the directory stays on that rank and Survey::Write() omits it. One
// thread per object.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/variability/source.h"
#include "core/variability/statistics/group_summary.h"

namespace gprofx::variability {

// Maximum number of cells of a Spread. Groups with fewer distinct durations are exact.
inline constexpr size_t kGroupCells = 4096;
// Maximum number of collectives per lane that are kept to align clocks.
inline constexpr size_t kClockEnds = 2048;

struct GroupSurvey {
  std::string key;       // as TextOf() returns it
  uint64_t warm_up = 0;  // executions during the warm-up, which are left out
  Int128 sum = 0;        // ns, of the executions not left out
  Spread spread{kGroupCells};
};

struct LaneSurvey {
  uint64_t kernels = 0, others = 0;
  int64_t first = INT64_MAX, last = INT64_MIN;  // first start and last end of all work
  int64_t first_kernel = INT64_MAX, last_kernel = INT64_MIN;
  // The first kClockEnds collectives: (start, hash of the name) -> end time.
  std::map<std::pair<int64_t, uint64_t>, int64_t> end_of;
};

struct Block {
  BlockId id;
  bool kernels = false;  // it contains kernels
  uint32_t rows = 0;
  int64_t first = 0, last = 0, end = 0;  // first start, last start, last end
  auto operator<=>(const Block&) const = default;
};

struct FileSurvey {
  std::string error;  // why the file cannot be read; if set, ignore the other fields
  FileFacts facts;
  uint64_t rows = 0, broken = 0;  // broken: rows that end before they begin
  uint64_t fingerprint[2] = {};   // sums of hashes over all rows; equal for copies of a recording
  Evidence evidence;              // read with part 0 of the file
  std::vector<Block> blocks;      // sorted by Settle()
};

struct Survey {
  std::map<uint32_t, FileSurvey> files;
  std::map<LaneId, LaneSurvey> lanes;
  std::map<Hash128, GroupSurvey> groups;
  std::map<Hash128, GroupSummary> summaries;  // of groups whose executions have all been merged
  // Number of different texts with equal hashes (never seen); the second text is left out.
  uint64_t collisions = 0;

  void Merge(Survey&& other);
  // Removes the groups that belong to rank `owner` of `ranks`, and returns them.
  Survey TakeGroups(uint32_t owner, uint32_t ranks);
  void Summarize();  // replaces groups by their summaries
  void Settle();
  std::string Write(const std::set<uint32_t>& with_directory) const;
  static bool Read(std::string_view bytes, Survey& survey);
};

// Reads one part of a file into `survey` and passes its blocks to `seen`. If the file cannot be
// read, stores the error in FileSurvey::error.
void SurveyPart(EventFile& file, uint32_t index, size_t part, size_t parts, const BlockSink& seen,
                Survey& survey);

// Returns the index of the step that contains `time`; -1 if none does. `steps` must be sorted.
int64_t StepAt(const std::vector<TimeRange>& steps, int64_t time);

}  // namespace gprofx::variability
