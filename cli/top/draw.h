// gprof-x top as lines of text: the head, a table and what its columns mean. Pure.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/full_screen.h"
#include "cli/top/keys.h"
#include "cli/top/snapshot.h"

namespace gprofx {

// Exactly `rows` lines; the last one says the keys, or what is typed or told.
std::vector<ScreenLine> DrawTop(const Snapshot& snapshot, const TopScreen& screen, int rows,
                                int columns);

// One interval without keys, for a pipe: the head and the first `most` rows of each table that has
// any.
std::string TopText(const Snapshot& snapshot, const TopScreen& screen, size_t most, int columns);

// In order, those of equal value by name; kernels know no total.
void SortRows(std::vector<TopRow>& rows, TopSort sort);
void SortKernels(std::vector<TopKernel>& kernels, TopSort sort);

}  // namespace gprofx
