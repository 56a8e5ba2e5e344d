#include "formats/importers/gather/launching_nodes.h"

#include "formats/importers/call_words.h"

namespace gprofx::importers {

bool LaunchingNodes::Contains(NodeId node) {
  const FrameId frame = node ? profile_.node(node).frame : FrameId{};
  if (!frame || !profile_.frame(frame).function) return false;
  if (known_.size() <= frame.index()) known_.resize(profile_.frames.size());
  int8_t& known = known_[frame.index()];
  if (known == 0) {
    const Function& function = profile_.function(profile_.frame(frame).function);
    known = IsLaunchingCall(profile_.Text(function.name)) ? 2 : 1;
  }
  return known == 2;
}

}  // namespace gprofx::importers
