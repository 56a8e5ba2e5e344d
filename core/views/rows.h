// Builds flat tables: one row per group, with its self and total time and the user's line that
// causes it.
//
// Totals count a stack once even if the group occurs in it several times (recursion, inlining). On
// each path down the tree only the outermost node of a group adds its total. Linear in the nodes of
// the tree. Invariant: the sum of self over all rows = the tree's total, if every frame has a
// group.
#pragma once

#include <vector>

#include "core/views/call_tree.h"
#include "core/views/group.h"

namespace gprofx {

struct Row {
  uint32_t group = 0;  // 0 = time that belongs to no group
  int64_t self = 0, total = 0;
  int64_t self_samples = 0, total_samples = 0;
  FrameId seen_as;  // the user's line with most of this row's time; 0 = none
  // Set only for CodeView::kPython: the line of a Python function with most of its time, the part
  // of `self` that is in native code, and the library with most of that part.
  FrameId own_line;
  int64_t native = 0;
  ModuleId library;
  Family family = Family::kNone;  // set for functions of the interpreter
  bool waits = false;             // most of its self time is waiting (core/views/waiting.h)
};

// Returns the rows sorted by self, then total, then order in the profile. Rows without any value
// are left out. `groups` must be those of `tree`.
std::vector<Row> FlatRows(const Profile& profile, const CallTree& tree, const Groups& groups);

}  // namespace gprofx
