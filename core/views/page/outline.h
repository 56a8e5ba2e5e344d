// A tree on one screen: which nodes get a line when only so many lines are there.
//
// Best first: of all nodes that could come next, the one with the largest total gets the next line.
// A chain of nodes of which each has one child and no time of its own is one line. What is left out
// is summed at its parent. Invariant: self of a line + totals of its shown children + its elided
// total = total of the line.
#pragma once

#include <cstdint>
#include <vector>

#include "core/views/call_tree.h"

namespace gprofx {

struct OutlineLine {
  // Nodes from the outermost to the one whose children follow; never empty.
  std::vector<uint32_t> chain;
  int depth = 0;
  uint32_t parent = 0;  // line index; of the first line: 0
  int64_t self = 0, total = 0;
  size_t elided = 0;  // children without a line
  int64_t elided_total = 0;
};

// Lines in reading order: parents before children, siblings by total. lines[0] is the root of the
// tree. At most `budget` lines beside the first, none below `smallest` in total.
std::vector<OutlineLine> MakeOutline(const CallTree& tree, size_t budget, int64_t smallest);

}  // namespace gprofx
