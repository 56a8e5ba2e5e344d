// Reads all tables of a profile except the timeline, cubins and sources. Used only inside formats/.
#pragma once

#include <functional>

#include "core/base/result.h"
#include "core/model/profile.h"
#include "formats/profile/profile_open.h"

namespace gprofx {

// Called when everything except the values is loaded. The values are loaded only if it returns
// true, or if there is no such function.
using WantsValues = std::function<bool(const Profile& profile)>;
Result<Profile> LoadTables(const ProfileFile& file, const WantsValues& wants_values = {});

}  // namespace gprofx
