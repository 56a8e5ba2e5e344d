// Merges profiles of many ranks, nodes or repetitions into one file.
//
// Files are processed by rank, host and start time, so the order in which they are named does not
// matter: the same files give the same bytes. A file that cannot be read, or occurs twice, is left
// out with its reason. If only its source texts or hardware counters are damaged, only these are
// left out. The rest is merged as described in core/model/merge.h, with all times on one clock
// (rank_clocks.h).
//
// Findings and tables of analyses belong to one recording and are not copied. Measurements of
// hardware counters are.
//
// Memory: the merged tables and those of kMergeBatch files; rows of streams pass through in blocks.
// Every file is read completely twice: to check that it is readable, and to merge it. In between
// its collectives are read, to align clocks. The output is written to `output`.part until it is
// complete. A merge that is killed leaves that file, and the next merge replaces it. Blocking; one
// thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace gprofx {

// Number of files merged into one profile before that profile is merged into the whole, so that the
// whole is scanned once per batch.
inline constexpr size_t kMergeBatch = 32;

struct MergedFiles {
  size_t merged = 0;
  std::vector<Error> left_out;  // files and parts of files; each error names its file
};

// Called before each file is read in each pass. `doing` names the pass, `done` is the number of
// files before this one.
using MergeProgress = std::function<void(const char* doing, size_t done)>;

// Returns an error if no file could be read, a file changed meanwhile, or `output` could not be
// written. In that case `output` is unchanged and no other file is left. `left_out` is filled even
// on error. On success, a previous profile at `output` becomes `output`.old.
Status MergeFiles(const std::vector<std::string>& inputs, const std::string& output,
                  const MergeProgress& progress, MergedFiles& outcome);

}  // namespace gprofx
