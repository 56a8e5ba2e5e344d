// Which part of a recording a query asks for. Pure.
#pragma once

#include <optional>

#include "core/base/result.h"
#include "core/model/profile.h"
#include "core/slice/part.h"

namespace gprofx {

// Of a profile with its phases. Nothing = everything: it is asked for, or nothing is and there is
// no steady phase. The error says what the recording does not have, and what it has.
Result<std::optional<ShownPart>> ChoosePart(const Profile& profile, const PartQuery& query);

// Of what is usually shown some steps in its middle, or where none are known a while, with about so
// many operations of GPUs: a recording may have more than anybody wants to hold in memory. Nothing:
// there are not more.
std::optional<PartQuery> MiddlePart(const Profile& profile, int64_t most_operations);

// Operations of GPUs in all; what a profile says of itself may be wrong.
int64_t OperationsIn(const Profile& profile);

// Of an imported trace: GPU work and named ranges have times; host code is in the tree only.
bool OnlyEventsHaveTimes(const Profile& profile);

// The end of the recording: its duration, or where that is not known the last end of a process.
HostNs EndOfRecording(const Profile& profile);

}  // namespace gprofx
