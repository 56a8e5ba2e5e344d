// Recognizes nodes of communication kernels by the names of the kernels.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "core/kernels/kernel_family.h"
#include "core/levels/levels.h"
#include "core/model/profile.h"

namespace gprofx {

class Communication {
 public:
  Communication(const Profile& profile, const Levels& levels)
      : profile_(profile), levels_(levels) {}

  // True if the GPU operation at `node` is a communication kernel. Checks each name once.
  bool Is(NodeId node) {
    const FrameId frame = levels_.at(node).operation;
    if (!frame) return false;
    const auto [found, is_new] = is_.try_emplace(frame.value);
    if (is_new) {
      const FunctionId function = profile_.frame(frame).function;
      found->second =
          function && IsCommunicationKernel(profile_.Text(profile_.function(function).name));
    }
    return found->second;
  }

 private:
  const Profile& profile_;
  const Levels& levels_;
  std::unordered_map<uint32_t, bool> is_;  // by FrameId::value
};

}  // namespace gprofx
