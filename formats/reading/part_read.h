// The part of a recording that a query asks for, read from its file into the profile that the views
// take: Profile::phases, and where the part is not everything Profile::part with values, wall and
// lanes of the part.
//
// Totals of the steady phase lie in the file (FindAndStorePhases); those of any other range are
// added up from the samples and events in it. Files without phases, of an earlier version or made
// by others, have them found here. Not thread safe, blocking.
#pragma once

#include <functional>
#include <optional>

#include "core/base/result.h"
#include "core/model/profile.h"
#include "core/slice/part.h"
#include "core/slice/part_builder.h"
#include "core/wall/timeline_bins.h"
#include "formats/profile/profile_source.h"

namespace gprofx {

// `profile` is that of the reader, as it was loaded. The error says what of the query does not fit
// the recording. Events that had to be read for it are left in `read`, if that is given.
Status SelectPart(const ProfileSource& reader, const PartQuery& query, Profile& profile,
                  std::optional<PartEvents>* read = nullptr);

// What lies in a range, beside the whole; nothing where the recording has no timeline.
Result<std::optional<PartValues>> ReadPart(const ProfileSource& reader, TimeRange range,
                                           const Profile& profile);

// Where records of GPU work were made and where not; empty where they were made all the time.
Result<std::vector<LevelWindow>> ReadWindows(const ProfileSource& reader, const Profile& profile);

// The launches in [begin, end) of a recording that has them one by one, in order.
Status ReadLaunches(const ProfileSource& reader, HostNs begin, HostNs end,
                    const std::function<void(const PhaseLaunch&)>& take);

// The part that is shown, or all of the recording, in `bins` of equal length; `profile` is what
// SelectPart has made, `events` what it has read of the same reader, null: nothing.
Result<TimelineBins> ReadTimeline(const ProfileSource& reader, const Profile& profile, size_t bins,
                                  const PartEvents* events = nullptr);

// LoadProfile of a part.
Result<Profile> LoadPart(const std::string& path, const PartQuery& query);

}  // namespace gprofx
