// Reads the range of a recording that a query asks for into the profile that the views take:
// Profile::phases, and, unless the range is the whole recording, Profile::part with the values,
// wall time and lanes of the range.
//
// The file stores the totals of the steady phase (FindAndStorePhases). Totals of any other range
// are added up from its samples and events. If the file has no phases (an earlier version or
// another writer), they are searched for here. Not thread-safe, blocking.
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

// `profile` must be as loaded from `reader`. The error says which part of the query does not fit
// the recording. If `read` is given, it receives the events that had to be read.
Status SelectPart(const ProfileSource& reader, const PartQuery& query, Profile& profile,
                  std::optional<PartEvents>* read = nullptr);

// Returns the values of a range. nullopt if the recording has no timeline, or does not say where
// GPU records are missing.
Result<std::optional<PartValues>> ReadPart(const ProfileSource& reader, TimeRange range,
                                           const Profile& profile);

// Returns the windows with and without GPU records; empty if records were made all the time.
Result<std::vector<LevelWindow>> ReadWindows(const ProfileSource& reader, const Profile& profile);

// Passes on the launches in [begin, end) in order, if the recording stores single launches.
Status ReadLaunches(const ProfileSource& reader, HostNs begin, HostNs end,
                    const std::function<void(const PhaseLaunch&)>& take);

// Returns the shown range, or the whole recording, divided into `bins` bins of equal length.
// `profile` must have been through SelectPart; `events` is what SelectPart read from the same
// reader, or null.
Result<TimelineBins> ReadTimeline(const ProfileSource& reader, const Profile& profile, size_t bins,
                                  const PartEvents* events = nullptr);

// Loads a profile, as LoadProfile does, and selects a range, as SelectPart does.
Result<Profile> LoadPart(const std::string& path, const PartQuery& query);

}  // namespace gprofx
