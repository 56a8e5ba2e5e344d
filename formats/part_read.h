// The part of a recording that a query asks for, read from its file into the profile that the views
// take: Profile::phases, and where the part is not everything Profile::part with values, wall and
// lanes of the part.
//
// Totals of the steady phase lie in the file (FindAndStorePhases); those of any other range are
// added up from the samples and events in it. Files without phases, of an earlier version or made by
// others, have them found here. Not thread safe, blocking.
#pragma once

#include "core/profile.h"
#include "core/result.h"
#include "core/views/query.h"
#include "formats/profile_reader.h"

namespace gprofx {

// `profile` is what reader.Load() gave. The error says what of the query does not fit the recording.
Status SelectPart(const ProfileReader& reader, const PartQuery& query, Profile& profile);

// LoadProfile of a part.
Result<Profile> LoadPart(const std::string& path, const PartQuery& query);

}  // namespace gprofx
