// Which frames are collectives: kernels by which GPUs talk to each other. Asked once for each
// frame, because reading a name is slow. Pure.
#pragma once

#include <vector>

#include "core/model/profile.h"

namespace gprofx {

// By FrameId::index().
std::vector<bool> CommunicationFrames(const Profile& profile);

}  // namespace gprofx
