// Phases and steps of a recording that is read from its streams. Used inside formats/ only. The
// reader is a ProfileReader or a ProfileSet.
#pragma once

#include "core/base/result.h"
#include "core/model/profile.h"
#include "core/slice/part_builder.h"
#include "formats/profile/profile_source.h"

namespace gprofx {

// As many launches are held in memory while steps are looked for; of later ones only those that
// steps begin with; and of each process as many operations, unless their steps do not tell those of
// the rest.
inline constexpr int64_t kMaxLaunches = 2'000'000;

// `events`: by ReadPartEvents; the first launches are added to them where they are needed, and the
// first operations where they are not held.
Result<Phases> FindPhasesOf(const ProfileSource& reader, const Profile& profile, PartEvents& events,
                            int64_t most_launches = kMaxLaunches);

}  // namespace gprofx
