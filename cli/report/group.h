// What a row or a tree line is about: frames that are the same thing to the reader share a group.
// Pure; a Groups holds copies of nothing: names are made when they are printed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/profile.h"

namespace gprofx {

enum class By {
  kFunction,
  kLine,
  kModule,
  kCallSite,  // Python by line, everything else by function: what a call tree shows
};

struct Groups {
  std::vector<uint32_t> of_frame;  // FrameId::value -> group; groups are 1-based, 0 = none
  std::vector<FrameId> first;      // group - 1 -> a frame of it, for its name and kind
  By by = By::kFunction;
};

// With `only_with_line`, frames without a source line belong to no group.
Groups GroupFrames(const Profile& profile, By by, bool only_with_line);

// What a group is, in full; strings are unescaped.
struct Label {
  FrameKind kind = FrameKind::kRoot;
  std::string name;
  std::string file;    // where `line` is; may be empty
  uint32_t line = 0;   // the line of a line group, else where the function is defined; 0 = unknown
  std::string module;  // path; empty for Python
};

Label LabelOf(const Profile& profile, const Groups& groups, uint32_t group);

}  // namespace gprofx
