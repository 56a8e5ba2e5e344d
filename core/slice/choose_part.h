// Finds the slice of a recording for which a query asks. Pure.
#pragma once

#include <optional>

#include "core/base/result.h"
#include "core/model/profile.h"
#include "core/slice/part.h"

namespace gprofx {

// Returns the slice that the query asks for. No value means the whole recording: either the query
// asks for it, or the query is empty and there is no steady phase. The phases of `profile` must
// have been found. An error says what the recording does not have, and what it has.
Result<std::optional<ShownPart>> ChoosePart(const Profile& profile, const PartQuery& query);

// Returns a query for a slice in the middle of the default range with about `most_operations` GPU
// operations. Use it if a recording has too many operations to hold in memory. The slice is a range
// of steps or, if no steps are known, a range of time. No value if the recording has no more
// operations than that.
std::optional<PartQuery> MiddlePart(const Profile& profile, int64_t most_operations);

// Returns the total number of GPU operations. It comes from the values, because counters of the
// profile may be wrong.
int64_t OperationsIn(const Profile& profile);

// True for an imported trace in which only GPU work and named ranges have times. Its host code is
// only in the tree.
bool OnlyEventsHaveTimes(const Profile& profile);

// Returns the end of the recording: its duration or, if that is unknown, the last end of a process
// or thread.
HostNs EndOfRecording(const Profile& profile);

}  // namespace gprofx
