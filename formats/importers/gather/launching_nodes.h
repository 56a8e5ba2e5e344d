// Finds, by their names, the nodes of calls that put work on a device. One thread; the profile must
// outlive the object.
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/profile.h"

namespace gprofx::importers {

class LaunchingNodes {
 public:
  explicit LaunchingNodes(const Profile& profile) : profile_(profile) {}
  bool Contains(NodeId node);

 private:
  const Profile& profile_;
  std::vector<int8_t> known_;  // by FrameId: 0 = not checked yet, 1 = no, 2 = yes
};

}  // namespace gprofx::importers
