// Decides which rank reads which parts of which files. The decision depends only on the list of
// files and the number of ranks, and needs no communication. Used inside core/variability only.
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/variability/source.h"

namespace gprofx::variability {

struct Unit {
  uint32_t file = 0;
  // The part of the file to read. In the second pass: one of its windows, or all of them.
  size_t part = 0, parts = 1;
};

// Returns into how many parts to split each file. `workers` is the number of ranks or, if there is
// one rank, of threads. The number of parts of a file is `workers` times its share of all bytes,
// rounded up. A file that needs all workers gets a multiple of `workers`, with at most 16 MiB per
// part. A file never gets more than FileEntry::parts.
std::vector<size_t> PartCounts(std::span<const FileEntry> files, size_t workers);

// Returns the units of one rank. Units are assigned largest first, each to the rank with the fewest
// bytes so far.
std::vector<Unit> UnitsOf(std::span<const FileEntry> files, std::span<const size_t> parts,
                          uint32_t rank, uint32_t ranks);

}  // namespace gprofx::variability
