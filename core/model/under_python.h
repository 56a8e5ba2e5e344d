// Finds native frames of the Python interpreter below a Python frame. They only run the Python
// line, which the Python frame already shows, so they need no symbols. Pure; any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/inherit.h"
#include "core/model/profile.h"
#include "core/redact/public_paths.h"

namespace gprofx {

class UnderPython {
 public:
  explicit UnderPython(const Profile& profile)
      : profile_(profile),
        under_(InheritDown<uint8_t>(profile.nodes, [&profile](uint8_t above, FrameId frame) {
          const bool python = frame && profile.frame(frame).kind == FrameKind::kPython;
          return python ? uint8_t{1} : above;
        })) {}

  // True if `frame`, the frame of `node`, is code of the interpreter below a Python frame.
  bool Interprets(NodeId node, const Frame& frame) const {
    if (under_[node.index()] == 0 || !frame.module) return false;
    const Module& module = profile_.module(frame.module);
    return (module.flags & kModuleIsPython) != 0 && IsInterpreterFile(profile_.Text(module.path));
  }

 private:
  const Profile& profile_;
  std::vector<uint8_t> under_;  // by NodeId::index()
};

}  // namespace gprofx
