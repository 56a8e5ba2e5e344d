// Groups the nodes of a call tree. The nodes of a group are the same thing to the user, such as one
// function, and share one row or tree line.
//
// The group of a node is computed from its own frame and the group of its parent, in one pass,
// parents first. A grouping may therefore use what is above a node: code without a line can belong
// to the nearest line above it. Pure. A Groups object stores no names; they are made when they are
// printed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/inherit.h"
#include "core/model/profile.h"
#include "core/views/call_tree.h"
#include "core/views/query.h"

namespace gprofx {

enum class By {
  kFunction,
  kLine,
  kModule,
  kCallSite,    // Python by line, other code by function, as in a call tree
  kSourceLine,  // by line; code without a line belongs to the nearest line above
};

// Returns the grouping of the rows or tree nodes of a query.
By GroupingOf(const Query& query);

struct Groups {
  std::vector<uint32_t> of_node;  // by node of the call tree: its group, from 1; 0 = none
  std::vector<FrameId> first;     // by group - 1: one of its frames, which gives name and kind
  By by = By::kFunction;
  bool own = false;  // only own code is shown, see code/owners.h
  // By group - 1: says what the group represents. Groups beyond the end of the vector represent
  // only themselves.
  struct Stand {
    Family family = Family::kNone;  // interpreter functions of this family
    bool library = false;           // all code of the frame's module
  };
  std::vector<Stand> stands;

  Stand StandOf(uint32_t group) const {
    return group == 0 || group > stands.size() ? Stand{} : stands[group - 1];
  }
};

// Returns the groups. Every frame of the profile gets one, in profile order, even if it is not in
// the tree.
Groups GroupNodes(const Profile& profile, const CallTree& tree, By by);

// The description of a group. Strings are unescaped.
struct Label {
  FrameKind kind = FrameKind::kRoot;
  std::string name;
  std::string file;   // file of `line`; may be empty
  uint32_t line = 0;  // line of the group if it is a line, otherwise of the definition; 0 = unknown
  std::string module;  // path; empty for Python
};

// Returns the label of a group. The label of group 0 says that its time belongs to no group; its
// kind is kUnknown.
Label LabelOf(const Profile& profile, const Groups& groups, uint32_t group);

}  // namespace gprofx
