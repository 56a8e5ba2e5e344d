// Cuts a file into time windows, which the second pass sweeps one by one (sweep.h). The order of
// its blocks does not matter. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "core/variability/survey.h"

namespace gprofx::variability {

// A window of a file and the blocks to read for it. `blocks` must be sorted by Survey::Settle.
struct WindowBlocks {
  int64_t begin = 0, end = 0;  // on the file's clock
  std::vector<BlockId> blocks;
};
std::vector<WindowBlocks> WindowsOf(std::vector<Block> blocks);

}  // namespace gprofx::variability
