// What the across-stack analyses need beside the tables of a profile: its GPU work, one by one.
// Blocking; memory: 64 bytes for each operation, 80 for each allocation and free.
#pragma once

#include "core/base/result.h"
#include "core/gpu/gpu_work.h"
#include "core/model/profile.h"
#include "formats/profile/profile_source.h"

namespace gprofx {

// `profile` is that of the source.
Result<GpuWorkEvents> ReadGpuWork(const ProfileSource& source, const Profile& profile);

}  // namespace gprofx
