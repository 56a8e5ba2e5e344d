// Formats gprof-x top as lines of text: the header, a table and the explanation of its columns.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/full_screen.h"
#include "cli/top/keys.h"
#include "cli/top/snapshot.h"

namespace gprofx {

// Returns the lines of the screen, exactly `rows` of them. The last one shows the keys, the text
// that is being typed, or a message.
std::vector<ScreenLine> DrawTop(const Snapshot& snapshot, const TopScreen& screen, int rows,
                                int columns);

// Returns one interval as text for a pipe: the header, and the first `most` rows of each table that
// has rows.
std::string TopText(const Snapshot& snapshot, const TopScreen& screen, size_t most, int columns);

// Sort rows by the value that `sort` names, largest first, and by name if values are equal. Kernels
// have no total.
void SortRows(std::vector<TopRow>& rows, TopSort sort);
void SortKernels(std::vector<TopKernel>& kernels, TopSort sort);

}  // namespace gprofx
