// Fits a tree on one screen: chooses which nodes get a line if the number of lines is limited.
//
// Of all nodes whose parent has a line, the one with the largest total gets the next line. A chain
// of nodes shares one line if each of them has only one child and no self time. Except in the
// finest outline (`smallest` = 1), nodes also share the line if each has at least 95 % of the time
// of the first one. Nodes without a line are summed at their parent, and side branches of a chain
// at its line. Invariant: self of a line + totals of its shown children + its elided total = total
// of the line.
#pragma once

#include <cstdint>
#include <vector>

#include "core/views/call_tree.h"

namespace gprofx {

struct OutlineLine {
  // Nodes of the chain, outermost first. Child lines belong to children of the last node. Never
  // empty.
  std::vector<uint32_t> chain;
  int depth = 0;
  uint32_t parent = 0;          // line index; 0 for the first line
  int64_t self = 0, total = 0;  // self: sum over all nodes of the chain
  size_t rank = 0;              // number of lines that were chosen before this one
  size_t elided = 0;            // number of children without a line
  int64_t elided_total = 0;
};

// Keeps the `budget` lines below the root that were chosen first, and sums the others at their
// parents.
std::vector<OutlineLine> Shortened(const std::vector<OutlineLine>& lines, size_t budget);

// Returns lines in reading order: parents before children, siblings by total. lines[0] is the root
// of the tree. There are at most `budget` lines after it, none with a total below `smallest`.
std::vector<OutlineLine> MakeOutline(const CallTree& tree, size_t budget, int64_t smallest);

}  // namespace gprofx
