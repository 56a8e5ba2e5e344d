// Finds the frames of kernels by which GPUs communicate. Parsing a kernel's name is slow, so
// callers compute this once for all frames. Pure.
#pragma once

#include <vector>

#include "core/model/profile.h"

namespace gprofx {

// Returns a flag for each frame, by FrameId::index(): true for kernels of communication libraries.
std::vector<bool> CommunicationFrames(const Profile& profile);

}  // namespace gprofx
