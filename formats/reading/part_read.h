// Reads the range of a recording that a query asks for. The result is stored in the profile that
// views show: Profile::phases, and Profile::part with the values, wall time and lanes of the range.
// Profile::part is not set if the range is the whole recording.
//
// The file stores the totals of the steady phase. Totals of any other range are added up from its
// samples and events. If the file has no phases, because an earlier version or another program
// wrote it, SelectPart searches for them. Blocking; not thread-safe.
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

// Selects the range of `query` in `profile`, which must be unchanged since it was loaded from
// `reader`. An error says why the query does not fit the recording. If `read` is given, it receives
// the events that had to be read.
Status SelectPart(const ProfileSource& reader, const PartQuery& query, Profile& profile,
                  std::optional<PartEvents>* read = nullptr);

// Returns the values of a range. No value if the recording has no timeline, or if it does not say
// when GPU records are missing.
Result<std::optional<PartValues>> ReadPart(const ProfileSource& reader, TimeRange range,
                                           const Profile& profile);

// Returns the windows with and without GPU records; empty if records were made all the time.
Result<std::vector<LevelWindow>> ReadWindows(const ProfileSource& reader, const Profile& profile);

// Calls `take` for each launch in [begin, end), in the order of the file. Does not call it if the
// recording does not store single launches.
Status ReadLaunches(const ProfileSource& reader, HostNs begin, HostNs end,
                    const std::function<void(const PhaseLaunch&)>& take);

// Divides the shown range, or the whole recording if none is selected, into `bins` bins of equal
// length, and returns what happened in each. Call SelectPart on `profile` first. `events` is what
// SelectPart read from the same reader, or null.
Result<TimelineBins> ReadTimeline(const ProfileSource& reader, const Profile& profile, size_t bins,
                                  const PartEvents* events = nullptr);

// Loads a profile and selects the range of `query`; see SelectPart.
Result<Profile> LoadPart(const std::string& path, const PartQuery& query);

}  // namespace gprofx
