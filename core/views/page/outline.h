// Fits a tree on one screen: chooses which nodes get a line when the number of lines is limited.
//
// Best first: of all nodes that could come next, the one with the largest total gets the next line.
// A chain of nodes, each of which has at least 95 % of the time of the first, is one line, except
// in the finest outline (`smallest` = 1); so are nodes with one child and no self time. Nodes
// without a line are summed at their parent, side branches of a chain at its line. Invariant: self
// of a line + totals of its shown children + its elided total = total of the line.
#pragma once

#include <cstdint>
#include <vector>

#include "core/views/call_tree.h"

namespace gprofx {

struct OutlineLine {
  // Nodes of the chain from the outermost on; the last one's children follow. Never empty.
  std::vector<uint32_t> chain;
  int depth = 0;
  uint32_t parent = 0;          // line index; 0 for the first line
  int64_t self = 0, total = 0;  // self of all nodes of the chain
  size_t rank = 0;              // position in the order of lines, best first
  size_t elided = 0;            // number of children without a line
  int64_t elided_total = 0;
};

// Leaves out the lines that come after the first `budget` lines below the root, best first.
std::vector<OutlineLine> Shortened(const std::vector<OutlineLine>& lines, size_t budget);

// Returns lines in reading order: parents before children, siblings by total. lines[0] is the root
// of the tree. At most `budget` lines after the first, none with a total below `smallest`.
std::vector<OutlineLine> MakeOutline(const CallTree& tree, size_t budget, int64_t smallest);

}  // namespace gprofx
