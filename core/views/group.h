// What a row or a tree line is about: nodes that are the same thing to the reader share a group.
//
// Every node of a call tree has a class, made of its parent's and of its own frame in one pass,
// parents first. So a grouping may look upwards: "the operator of this kernel" or "the layer" is a
// small function as much as "the function" is. Pure; a Groups holds copies of nothing: names are
// made when they are printed.
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
  kCallSite,    // Python by line, everything else by function: what a call tree shows
  kSourceLine,  // by line; what has none belongs to the nearest line above
};

// What the rows, or the nodes of a tree, of a query are.
By GroupingOf(const Query& query);

struct Groups {
  std::vector<uint32_t> of_node;  // node of the call tree -> group; groups are 1-based, 0 = none
  std::vector<FrameId> first;     // group - 1 -> a frame of it, for its name and kind
  By by = By::kFunction;
  // group - 1 -> what the frame stands for; groups behind its end stand for themselves.
  struct Stand {
    Family family = Family::kNone;  // the interpreter's own functions of a family
    bool library = false;           // all code of its module
  };
  std::vector<Stand> stands;

  Stand StandOf(uint32_t group) const {
    return group == 0 || group > stands.size() ? Stand{} : stands[group - 1];
  }
};

// All frames of the profile have a group, in their order, whether they are in the tree or not.
Groups GroupNodes(const Profile& profile, const CallTree& tree, By by);

// What a group is, in full; strings are unescaped.
struct Label {
  FrameKind kind = FrameKind::kRoot;
  std::string name;
  std::string file;    // where `line` is; may be empty
  uint32_t line = 0;   // the line of a line group, else where the function is defined; 0 = unknown
  std::string module;  // path; empty for Python
};

// Of group 0 the label says that its time belongs to none: its kind is kUnknown.
Label LabelOf(const Profile& profile, const Groups& groups, uint32_t group);

}  // namespace gprofx
