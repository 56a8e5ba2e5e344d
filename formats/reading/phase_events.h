// Finds phases and steps of a recording from its streams. Used inside formats/ only. The reader is
// a ProfileReader or a ProfileSet.
#pragma once

#include "core/base/result.h"
#include "core/model/profile.h"
#include "core/slice/part_builder.h"
#include "formats/profile/profile_source.h"

namespace gprofx {

// Maximum number of launches held in memory while searching for steps. Of later launches, only
// those that begin a step are kept. The same limit applies to operations, per process, unless the
// steps in the first operations do not predict the rest.
inline constexpr int64_t kMaxLaunches = 2'000'000;

// `events` comes from ReadPartEvents. Adds the first launches to it where needed, and the first
// operations where it does not hold them.
Result<Phases> FindPhasesOf(const ProfileSource& reader, const Profile& profile, PartEvents& events,
                            int64_t most_launches = kMaxLaunches);

}  // namespace gprofx
