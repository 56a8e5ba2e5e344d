// From files to a model, over ranks and threads.
//
// Who reads what is fixed by the list of files and the number of ranks (units.h); no rank waits for
// a master. Each rank reads its pieces twice, once to survey them and once to compare them with
// what all have found together. How the executions of a group are spread is put together and
// described by the rank that the group's hash names; the rest goes up a binary tree to rank 0.
// Files that are small are opened and read by one rank alone, and what is known of where their
// events lie stays there. The model is the same, to the last bit, for any number of ranks and
// threads and any order of the files.
//
// A file that cannot be read is reported in the model, and the rest goes on. Blocking.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "core/variability/model.h"
#include "core/variability/ranks.h"

namespace gprofx::variability {

// What each pass took on this rank, by the clock that was given.
struct PassTimes {
  int64_t survey = 0, tally = 0;  // of the rank's own pieces
  int64_t exchange = 0;           // putting the rank's own groups and collectives together
  int64_t reduce = 0;             // merging what others sent, and sending
  int64_t plan = 0, model = 0;    // of rank 0; the others read the plan
};

struct Analysis {
  std::vector<FileEntry> files;  // sorted by path, each once
  Options options;
  size_t threads = 1;
  OpenFile open;
  std::function<int64_t()> clock;  // ns; none = nothing is measured
};

// Nothing on ranks other than 0. An Error: another rank is gone.
// `times`: may be null.
Result<std::optional<Model>> Analyze(const Analysis& analysis, Ranks& ranks,
                                     PassTimes* times = nullptr);

}  // namespace gprofx::variability
