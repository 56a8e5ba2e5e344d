// Resolves which slice of a recording a query asks for. Pure.
#pragma once

#include <optional>

#include "core/base/result.h"
#include "core/model/profile.h"
#include "core/slice/part.h"

namespace gprofx {

// `profile` must have its phases. Returns nothing for the whole recording: if the query asks for
// it, or if the query is empty and there is no steady phase. An error names what the recording does
// not have, and what it has.
Result<std::optional<ShownPart>> ChoosePart(const Profile& profile, const PartQuery& query);

// Reduces the default range to steps in its middle, or to a time range if no steps are known, with
// about `most_operations` GPU operations: a recording may have too many to hold in memory. Returns
// nothing if the recording has no more operations than that.
std::optional<PartQuery> MiddlePart(const Profile& profile, int64_t most_operations);

// Returns the total number of GPU operations. A profile's own counters may be wrong.
int64_t OperationsIn(const Profile& profile);

// True for an imported trace in which GPU work and named ranges have times, but host code is only
// in the tree.
bool OnlyEventsHaveTimes(const Profile& profile);

// Returns the end of the recording: its duration or, if unknown, the last end of a process.
HostNs EndOfRecording(const Profile& profile);

}  // namespace gprofx
