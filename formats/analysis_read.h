// What the across-stack analyses need beside the tables of a profile: its GPU work, one by one.
// Blocking; memory: 64 bytes for each operation, 80 for each allocation and free.
#pragma once

#include "core/gpu_work.h"
#include "core/profile.h"
#include "core/result.h"
#include "formats/profile_source.h"

namespace gprofx {

// `profile` is that of the source.
Result<GpuWorkEvents> ReadGpuWork(const ProfileSource& source, const Profile& profile);

}  // namespace gprofx
