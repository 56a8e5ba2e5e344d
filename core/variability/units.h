// Which rank surveys what: fixed by the list of files and the number of ranks, so nobody has to
// ask. Used inside core/variability only. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/variability/source.h"

namespace gprofx::variability {

struct Unit {
  uint32_t file = 0;
  size_t part = 0, parts = 1;  // of the survey; of the tally: the window, or all of them
};

// In how many parts each file is read where so many ranks (or threads of a single one) work: as
// many as its share of all bytes, a multiple of all workers where it is larger than they can hold
// at once, never more than it may have.
std::vector<size_t> PartCounts(std::span<const FileEntry> files, size_t workers);

// The units of one rank: the largest first, each to the rank that has the fewest bytes so far.
std::vector<Unit> UnitsOf(std::span<const FileEntry> files, std::span<const size_t> parts,
                          uint32_t rank, uint32_t ranks);

}  // namespace gprofx::variability
