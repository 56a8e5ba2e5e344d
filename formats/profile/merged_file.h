// Profiles of many ranks, nodes or repetitions, written as one file.
//
// Files are taken by rank, host and start, so the order in which they are named does not matter:
// the same files make the same bytes. A file that cannot be read, or is there twice, is left out
// with its reason; of one whose source texts or hardware counters are damaged only these. The rest
// is merged as core/model/merge.h says, times on one clock (rank_clocks.h).
// Findings and tables of analyses are of one recording and stay where they are; what hardware
// counters measured goes along.
//
// Memory: the merged tables and those of kMergeBatch files; rows of streams pass through in blocks.
// Every file is read twice, first to see that it can be. What is written waits beside the output,
// as `output`.part, until it is whole; a merge that is killed leaves that, and the next one
// replaces it. Blocking; one thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace gprofx {

// So many files become one profile before they become part of the whole, which then is gone through
// once for all of them.
inline constexpr size_t kMergeBatch = 32;

struct MergedFiles {
  size_t merged = 0;
  std::vector<Error> left_out;  // files and parts of them; each names its file
};

// Called before each file is read, with the number of those before it.
using MergeProgress = std::function<void(const char* doing, size_t done)>;

// An error: no file could be read, a file changed meanwhile, or `output` could not be written; what
// was at `output` is still there then, and nothing else. `left_out` is filled also then. A profile
// that is at `output` becomes `output`.old when the new one takes its place.
Status MergeFiles(const std::vector<std::string>& inputs, const std::string& output,
                  const MergeProgress& progress, MergedFiles& outcome);

}  // namespace gprofx
