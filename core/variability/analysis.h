// Analyzes the variability of a run: reads its files and returns a Model (model.h). Works with
// several threads and several ranks (processes, ranks.h).
//
// The list of files and the number of ranks determine which rank reads what (units.h); no rank
// waits for another to assign work. Each rank reads its parts of the files twice: first to survey
// them, then to compare their events with the merged survey of all ranks. The hash of a group
// (event.h) selects the rank that merges and describes the durations of that group. Everything else
// is merged up a binary tree to rank 0. A file with a single part is read by one rank, which also
// keeps the directory of its blocks (survey.h). The model is identical, to the last bit, for any
// number of ranks and threads and any order of the files.
//
// A file that cannot be read is reported in the model, and the analysis continues. Blocking.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "core/variability/model.h"
#include "core/variability/ranks.h"

namespace gprofx::variability {

// Time that this rank spent in each pass, measured with Analysis::clock.
struct PassTimes {
  int64_t survey = 0, tally = 0;  // reading the rank's own parts, in the first and the second pass
  int64_t exchange = 0;           // merging the groups and collectives that belong to this rank
  int64_t reduce = 0;             // merging what other ranks sent, and sending the result on
  // Making the plan and the model on rank 0; other ranks only read the plan.
  int64_t plan = 0, model = 0;
};

struct Analysis {
  std::vector<FileEntry> files;  // sorted by path, no duplicates
  Options options;
  size_t threads = 1;
  OpenFile open;
  std::function<int64_t()> clock;  // returns ns; if unset, nothing is measured
};

// Returns the model on rank 0 and nullopt on other ranks. Fails if the connection to another rank
// is lost. `times` may be null.
Result<std::optional<Model>> Analyze(const Analysis& analysis, Ranks& ranks,
                                     PassTimes* times = nullptr);

}  // namespace gprofx::variability
