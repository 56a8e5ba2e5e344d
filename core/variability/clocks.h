// Aligns the clocks of all files of an analysis. The first estimate comes from the real time at
// which each file's clock began. It is corrected with the ends of collectives, which are at the
// same time on all ranks (core/gpu/collective_clock.h). Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/variability/plan.h"

namespace gprofx::variability {

struct AlignedClocks {
  std::vector<int64_t> offsets;  // by file: ns to add to its times to get the common clock
  std::vector<ClockNote> notes;  // one per file, without the file that defines the common clock
  std::vector<std::string> lines;
};

AlignedClocks AlignClocks(const Survey& survey, const std::vector<uint8_t>& left_out,
                          const std::vector<FileEntry>& files);

}  // namespace gprofx::variability
