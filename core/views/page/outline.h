// Fits a tree on one screen: chooses which nodes get a line when the number of lines is limited.
//
// Best first: of all nodes that could come next, the one with the largest total gets the next line.
// A chain of nodes that each have one child and no self time is one line. Nodes without a line are
// summed at their parent. Invariant: self of a line + totals of its shown children + its elided
// total = total of the line.
#pragma once

#include <cstdint>
#include <vector>

#include "core/views/call_tree.h"

namespace gprofx {

struct OutlineLine {
  // Nodes of the chain from the outermost on; the last one's children follow. Never empty.
  std::vector<uint32_t> chain;
  int depth = 0;
  uint32_t parent = 0;  // line index; 0 for the first line
  int64_t self = 0, total = 0;
  size_t elided = 0;  // number of children without a line
  int64_t elided_total = 0;
};

// Returns lines in reading order: parents before children, siblings by total. lines[0] is the root
// of the tree. At most `budget` lines after the first, none with a total below `smallest`.
std::vector<OutlineLine> MakeOutline(const CallTree& tree, size_t budget, int64_t smallest);

}  // namespace gprofx
