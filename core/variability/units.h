// Which rank surveys what. Determined by the list of files and the number of ranks, so no
// communication is needed. Used inside core/variability only. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/variability/source.h"

namespace gprofx::variability {

struct Unit {
  uint32_t file = 0;
  size_t part = 0, parts = 1;  // first pass: part of the file; second: window of it, or all
};

// Number of parts to read each file in, for this number of ranks (or threads of a single rank): the
// number of workers that its share of all bytes amounts to, rounded up. A file that needs all
// workers gets a multiple of `workers`, such that each part has at most 16 MiB. Never more than
// FileEntry::parts.
std::vector<size_t> PartCounts(std::span<const FileEntry> files, size_t workers);

// The units of one rank. Units are assigned largest first, each to the rank with the fewest bytes
// so far.
std::vector<Unit> UnitsOf(std::span<const FileEntry> files, std::span<const size_t> parts,
                          uint32_t rank, uint32_t ranks);

}  // namespace gprofx::variability
