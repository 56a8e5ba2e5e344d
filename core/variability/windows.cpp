#include "core/variability/windows.h"

#include <algorithm>
#include <tuple>

namespace gprofx::variability {
namespace {

// Rows of a window; they take 30 MB during the sweep.
constexpr uint64_t kWindowRows = uint64_t{1} << 18;
// Maximum number of rows that all windows together read, as a multiple of the rows of the file.
// Blocks that span several windows are read several times.
constexpr uint64_t kMaxRereading = 3;

std::vector<WindowBlocks> Divide(const std::vector<Block>& blocks, uint64_t window_rows) {
  std::vector<WindowBlocks> windows(1);
  windows[0].begin = INT64_MIN;
  uint64_t rows = 0;
  for (const Block& block : blocks) {
    if (rows >= window_rows && block.first > windows.back().begin) {
      windows.back().end = block.first;
      windows.emplace_back().begin = block.first;
      rows = 0;
    }
    rows += block.rows;
  }
  windows.back().end = INT64_MAX;
  return windows;
}

}  // namespace

std::vector<WindowBlocks> WindowsOf(std::vector<Block> blocks) {
  if (blocks.empty()) return {};
  std::sort(blocks.begin(), blocks.end(), [](const Block& a, const Block& b) {
    return std::tie(a.first, a.last, a.id) < std::tie(b.first, b.last, b.id);
  });
  uint64_t all = 0;
  for (const Block& block : blocks) all += block.rows;
  for (uint64_t rows = kWindowRows;; rows *= 4) {
    std::vector<WindowBlocks> windows = Divide(blocks, rows);
    uint64_t read = 0;
    for (const Block& block : blocks) {
      for (WindowBlocks& window : windows) {
        const bool inside =
            block.first < window.end && std::max(block.end, block.last) >= window.begin;
        if (!inside) continue;
        window.blocks.push_back(block.id);
        read += block.rows;
      }
    }
    if (windows.size() == 1 || read <= kMaxRereading * all + kWindowRows) return windows;
  }
}

}  // namespace gprofx::variability
