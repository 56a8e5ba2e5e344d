// The result of the first pass over all files: which lanes and groups (event.h) they contain, their
// time ranges, and the durations of each group. Everything in it is an integer or a set, so surveys
// of parts merge to the same result in any order.
//
// The directory of a file (FileSurvey::blocks) lists its blocks and the time range of each. If one
// rank reads a file alone, the directory stays on that rank: Survey::Write omits it. One thread per
// object.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/variability/source.h"
#include "core/variability/statistics/group_summary.h"

namespace gprofx::variability {

inline constexpr size_t kGroupCells = 4096;  // groups with fewer distinct values are exact
inline constexpr size_t kClockEnds = 2048;   // collectives per lane for aligning clocks

struct GroupSurvey {
  std::string key;       // TextOf
  uint64_t warm_up = 0;  // executions left out
  Int128 sum = 0;        // of the executions not left out
  Spread spread{kGroupCells};
};

struct LaneSurvey {
  uint64_t kernels = 0, others = 0;
  int64_t first = INT64_MAX, last = INT64_MIN;  // all work: first start, last end
  int64_t first_kernel = INT64_MAX, last_kernel = INT64_MIN;
  // The first kClockEnds collectives: (start, hash of the name) -> end.
  std::map<std::pair<int64_t, uint64_t>, int64_t> end_of;
};

struct Block {
  BlockId id;
  bool kernels = false;  // true if it holds any
  uint32_t rows = 0;
  int64_t first = 0, last = 0, end = 0;  // first and last start, last end
  auto operator<=>(const Block&) const = default;
};

struct FileSurvey {
  std::string error;  // if set, nothing else counts
  FileFacts facts;
  uint64_t rows = 0, broken = 0;  // broken: rows that end before they begin
  uint64_t fingerprint[2] = {};   // sums over all rows; equal for the same recording
  Evidence evidence;              // from part 0
  std::vector<Block> blocks;      // sorted by Settle()
};

struct Survey {
  std::map<uint32_t, FileSurvey> files;
  std::map<LaneId, LaneSurvey> lanes;
  std::map<Hash128, GroupSurvey> groups;
  std::map<Hash128, GroupSummary> summaries;  // complete groups
  uint64_t collisions = 0;  // two texts with one hash: never seen; the second is left out

  void Merge(Survey&& other);
  // Removes the groups that rank `owner` of `ranks` merges, and returns them.
  Survey TakeGroups(uint32_t owner, uint32_t ranks);
  void Summarize();  // turns groups into summaries
  void Settle();
  std::string Write(const std::set<uint32_t>& with_directory) const;
  static bool Read(std::string_view bytes, Survey& survey);
};

// Reads one part of a file into `survey` and passes its blocks to `seen`. An error of the file is
// stored in the survey.
void SurveyPart(EventFile& file, uint32_t index, size_t part, size_t parts, const BlockSink& seen,
                Survey& survey);

// Returns the index of the step that contains `time`; -1 = none. `steps` must be sorted.
int64_t StepAt(const std::vector<TimeRange>& steps, int64_t time);

}  // namespace gprofx::variability
