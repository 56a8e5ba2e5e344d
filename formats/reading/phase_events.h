// Finds the phases and the steps of a recording from its event streams. Used inside formats/ only.
// In all functions, `reader` is a ProfileReader or a ProfileSet.
#pragma once

#include "core/base/result.h"
#include "core/model/profile.h"
#include "core/slice/part_builder.h"
#include "formats/profile/profile_source.h"

namespace gprofx {

// Maximum number of launches held in memory while searching for steps. Of later launches, only
// those that begin a step are kept. The same limit applies to the GPU operations of each process.
// If the steps found in the first operations do not continue for most of the recording, all
// operations are held instead.
inline constexpr int64_t kMaxLaunches = 2'000'000;

// Returns the phases and steps. `events` comes from ReadPartEvents. If needed, adds the first
// launches to `events`, and GPU operations if it does not hold them.
Result<Phases> FindPhasesOf(const ProfileSource& reader, const Profile& profile, PartEvents& events,
                            int64_t most_launches = kMaxLaunches);

}  // namespace gprofx
