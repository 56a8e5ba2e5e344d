// Finds the slice of a recording for which a query asks. Pure.
#pragma once

#include <optional>

#include "core/base/result.h"
#include "core/model/profile.h"
#include "core/slice/part.h"

namespace gprofx {

// Returns the slice. Returns no value for the whole recording: if the query asks for it, or if the
// query is empty and there is no steady phase. `profile` must have its phases. An error says what
// the recording does not have, and what it has.
Result<std::optional<ShownPart>> ChoosePart(const Profile& profile, const PartQuery& query);

// Returns a slice in the middle of the default range with about `most_operations` GPU operations,
// because a recording may have too many to hold in memory. The slice is a range of steps or, if no
// steps are known, a range of time. Returns no value if the recording has no more operations than
// that.
std::optional<PartQuery> MiddlePart(const Profile& profile, int64_t most_operations);

// Returns the total number of GPU operations, from the values. Counters of the profile may be
// wrong.
int64_t OperationsIn(const Profile& profile);

// True for an imported trace in which only GPU work and named ranges have times, because its host
// code is only in the tree.
bool OnlyEventsHaveTimes(const Profile& profile);

// Returns the end of the recording: its duration or, if that is unknown, the last end of a process
// or thread.
HostNs EndOfRecording(const Profile& profile);

}  // namespace gprofx
