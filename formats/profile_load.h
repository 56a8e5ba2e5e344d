// Reads all tables of a profile but the timeline, cubins and sources. Used inside formats/ only.
#pragma once

#include "core/profile.h"
#include "core/result.h"
#include "formats/profile_open.h"

namespace gprofx {

Result<Profile> LoadTables(const ProfileFile& file);

}  // namespace gprofx
