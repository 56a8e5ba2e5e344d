// Analyses the files of a run for variability, with several ranks (processes, ranks.h) and threads.
// The result is a Model (model.h).
//
// The list of files and the number of ranks determine which rank reads what (units.h); no rank
// waits for another to assign work. Each rank reads its pieces twice: once to survey them, and once
// to compare them with the combined survey. A group (event.h) is owned by the rank that its hash
// selects; the owner merges and describes the durations of the group. Everything else is merged up
// a binary tree to rank 0. Small files are opened and read by one rank only, which also keeps the
// directory of their events (survey.h). The model is identical, to the last bit, for any number of
// ranks and threads and any order of the files.
//
// A file that cannot be read is reported in the model, and the analysis goes on. Blocking.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "core/variability/model.h"
#include "core/variability/ranks.h"

namespace gprofx::variability {

// Time of each pass on this rank, by the given clock.
struct PassTimes {
  int64_t survey = 0, tally = 0;  // of the rank's own pieces
  int64_t exchange = 0;           // merging the rank's own groups and collectives
  int64_t reduce = 0;             // merging what other ranks sent, and sending
  int64_t plan = 0, model = 0;    // making them on rank 0; on others, reading the plan
};

struct Analysis {
  std::vector<FileEntry> files;  // sorted by path, no duplicates
  Options options;
  size_t threads = 1;
  OpenFile open;
  std::function<int64_t()> clock;  // ns; unset = do not measure
};

// Returns nullopt on ranks other than 0. An Error means that another rank is gone. `times` may be
// null.
Result<std::optional<Model>> Analyze(const Analysis& analysis, Ranks& ranks,
                                     PassTimes* times = nullptr);

}  // namespace gprofx::variability
