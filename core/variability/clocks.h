// Aligns the clocks of all files of an analysis. The first estimate comes from the real time that
// each file records for its clock. It is corrected with the ends of collectives, which all ranks
// reach together (core/gpu/collective_clock.h). Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/variability/plan.h"

namespace gprofx::variability {

struct AlignedClocks {
  std::vector<int64_t> offsets;  // one per file: add it to the file's times to get the common clock
  std::vector<ClockNote> notes;  // one per file, except the file whose clock is the common clock
  std::vector<std::string> lines;
};

AlignedClocks AlignClocks(const Survey& survey, const std::vector<uint8_t>& left_out,
                          const std::vector<FileEntry>& files);

}  // namespace gprofx::variability
