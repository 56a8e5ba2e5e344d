// Aligns the clocks of many files. Starts from the real time that each file records for its clock,
// and corrects it by the ends of collectives, which all ranks reach together
// (core/gpu/collective_clock.h). Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/variability/plan.h"

namespace gprofx::variability {

struct AlignedClocks {
  std::vector<int64_t> offsets;  // by file, to add to its times
  std::vector<ClockNote> notes;  // of each file except the one whose clock is the common clock
  std::vector<std::string> lines;
};

AlignedClocks AlignClocks(const Survey& survey, const std::vector<uint8_t>& left_out,
                          const std::vector<FileEntry>& files);

}  // namespace gprofx::variability
