// Groups the nodes of a call tree: all nodes that are the same thing to the reader share one row or
// tree line.
//
// Every node has a class, computed from its parent's class and its own frame in one pass, parents
// first. A grouping may therefore look upwards: "the operator of this kernel" and "the layer" are
// small functions, as "the function" is. Pure. A Groups copies no names: they are made when they
// are printed.
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
  kCallSite,    // Python by line, all else by function, as in a call tree
  kSourceLine,  // by line; code without a line belongs to the nearest line above
};

// Returns the grouping of the rows or tree nodes of a query.
By GroupingOf(const Query& query);

struct Groups {
  std::vector<uint32_t> of_node;  // node of the call tree -> group; 1-based, 0 = none
  std::vector<FrameId> first;     // group - 1 -> one of its frames, for its name and kind
  By by = By::kFunction;
  bool own = false;  // only own code, see code/owners.h
  // group - 1 -> what the frame represents. Groups past the end represent only themselves.
  struct Stand {
    Family family = Family::kNone;  // interpreter functions of this family
    bool library = false;           // all code of its module
  };
  std::vector<Stand> stands;

  Stand StandOf(uint32_t group) const {
    return group == 0 || group > stands.size() ? Stand{} : stands[group - 1];
  }
};

// Every frame of the profile gets a group, in profile order, even if it is not in the tree.
Groups GroupNodes(const Profile& profile, const CallTree& tree, By by);

// Full description of a group; strings are unescaped.
struct Label {
  FrameKind kind = FrameKind::kRoot;
  std::string name;
  std::string file;    // file of `line`; may be empty
  uint32_t line = 0;   // the line of a line group, else of the definition; 0 = unknown
  std::string module;  // path; empty for Python
};

// The label of group 0 says that its time belongs to no group; its kind is kUnknown.
Label LabelOf(const Profile& profile, const Groups& groups, uint32_t group);

}  // namespace gprofx
