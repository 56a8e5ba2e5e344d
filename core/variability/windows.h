// Cuts a file into time windows, which the second pass processes one by one (sweep.h). The result
// does not depend on the order of the blocks. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "core/variability/survey.h"

namespace gprofx::variability {

// A time window of a file, and the blocks to read for it.
struct WindowBlocks {
  int64_t begin = 0, end = 0;  // times on the file's clock
  std::vector<BlockId> blocks;
};
std::vector<WindowBlocks> WindowsOf(std::vector<Block> blocks);

}  // namespace gprofx::variability
