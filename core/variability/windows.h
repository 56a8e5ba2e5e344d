// A file in windows of time that are swept one by one, whatever order its blocks have. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "core/variability/survey.h"

namespace gprofx::variability {

// The windows in which a file is swept, and the blocks that each has to read. `blocks` sorted by
// Survey::Settle.
struct WindowBlocks {
  int64_t begin = 0, end = 0;  // on the file's clock
  std::vector<BlockId> blocks;
};
std::vector<WindowBlocks> WindowsOf(std::vector<Block> blocks);

}  // namespace gprofx::variability
