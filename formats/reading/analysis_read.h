// Reads what the across-stack analyses need beside the tables of a profile: its GPU work, one
// operation at a time. Blocking. Memory: 64 bytes per operation, 80 per allocation and free.
#pragma once

#include "core/base/result.h"
#include "core/gpu/gpu_work.h"
#include "core/model/profile.h"
#include "formats/profile/profile_source.h"

namespace gprofx {

// `profile` must come from `source`.
Result<GpuWorkEvents> ReadGpuWork(const ProfileSource& source, const Profile& profile);

}  // namespace gprofx
