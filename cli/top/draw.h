// Formats gprof-x top as lines of text: the header, a table and the meaning of its columns. Pure.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/full_screen.h"
#include "cli/top/keys.h"
#include "cli/top/snapshot.h"

namespace gprofx {

// Returns exactly `rows` lines. The last one shows the keys, the text being typed, or a message.
std::vector<ScreenLine> DrawTop(const Snapshot& snapshot, const TopScreen& screen, int rows,
                                int columns);

// Formats one interval without keys, for a pipe: the header and the first `most` rows of each
// nonempty table.
std::string TopText(const Snapshot& snapshot, const TopScreen& screen, size_t most, int columns);

// Sort by the value that `sort` names, largest first, and ties by name. Kernels have no total.
void SortRows(std::vector<TopRow>& rows, TopSort sort);
void SortKernels(std::vector<TopKernel>& kernels, TopSort sort);

}  // namespace gprofx
