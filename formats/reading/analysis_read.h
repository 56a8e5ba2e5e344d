// Reads all GPU operations of a profile, for analyses that need more than its tables. Blocking.
// Memory: 64 bytes per operation, 80 per allocation and free.
#pragma once

#include "core/base/result.h"
#include "core/gpu/gpu_work.h"
#include "core/model/profile.h"
#include "formats/profile/profile_source.h"

namespace gprofx {

// Returns all GPU work of `source`. `profile` must have been loaded from `source`.
Result<GpuWorkEvents> ReadGpuWork(const ProfileSource& source, const Profile& profile);

}  // namespace gprofx
