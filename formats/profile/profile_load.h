// Reads all tables of a profile but the timeline, cubins and sources. Used inside formats/ only.
#pragma once

#include <functional>

#include "core/base/result.h"
#include "core/model/profile.h"
#include "formats/profile/profile_open.h"

namespace gprofx {

// `wants_values` is asked when all else is there, and what it refuses is not read; empty: all is
// wanted.
using WantsValues = std::function<bool(const Profile& profile)>;
Result<Profile> LoadTables(const ProfileFile& file, const WantsValues& wants_values = {});

}  // namespace gprofx
