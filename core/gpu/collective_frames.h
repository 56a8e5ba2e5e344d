// Finds frames that are collectives: kernels by which GPUs communicate. Computed once per frame,
// because parsing a name is slow. Pure.
#pragma once

#include <vector>

#include "core/model/profile.h"

namespace gprofx {

// Returns a flag for each frame, by FrameId::index().
std::vector<bool> CommunicationFrames(const Profile& profile);

}  // namespace gprofx
