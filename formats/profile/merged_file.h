// Merges profiles of many ranks, nodes or repetitions into one file.
//
// Files are processed in the order of rank, host and start time. The order in which they are named
// does not matter: the same files give the same bytes. A file that cannot be read or that occurs
// twice is left out, and its error is reported. If only the source texts or hardware counters of a
// file are damaged, only these are left out. The profiles are merged as described in
// core/model/merge.h, with all times on one clock (rank_clocks.h).
//
// Findings and tables of analyses belong to one recording and are not copied. Measurements of
// hardware counters are copied.
//
// Memory: the merged tables and those of kMergeBatch files. Rows of streams are copied in blocks.
// Every file is read completely twice, first to check that it is readable and then to merge it.
// Between these passes, its collectives are read to align the clocks. The output is written to
// `output`.part until it is complete. A merge that is killed leaves that file, and the next merge
// replaces it. Blocking; one thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace gprofx {

// Number of files that are merged into a batch before the batch is merged into the whole. The whole
// is then scanned once per batch, not once per file.
inline constexpr size_t kMergeBatch = 32;

struct MergedFiles {
  size_t merged = 0;
  // Files and parts of files that were left out; each error names its file.
  std::vector<Error> left_out;
};

// Called in each pass before a file is read. `doing` names the pass; `done` is the number of files
// already read in it.
using MergeProgress = std::function<void(const char* doing, size_t done)>;

// Merges the profiles `inputs` into `output`. Returns an error if no file could be read, a file
// changed meanwhile, or `output` could not be written. On error `output` is unchanged and no
// temporary file is left. outcome.left_out is filled even on error. On success, a previous profile
// at `output` becomes `output`.old.
Status MergeFiles(const std::vector<std::string>& inputs, const std::string& output,
                  const MergeProgress& progress, MergedFiles& outcome);

}  // namespace gprofx
