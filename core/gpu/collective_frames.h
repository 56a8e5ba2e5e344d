// Finds the frames of kernels by which GPUs communicate. The result is computed once per frame,
// because parsing a kernel's name is slow. Pure.
#pragma once

#include <vector>

#include "core/model/profile.h"

namespace gprofx {

// Returns a flag for each frame, by FrameId::index(): it is a kernel of a communication library.
std::vector<bool> CommunicationFrames(const Profile& profile);

}  // namespace gprofx
