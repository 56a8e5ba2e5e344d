// Moves the time 0 of a profile, for a profile that holds only the end of a recording.
//
// Times before the new begin become 0. Ends before it become 1, because an end of 0 means "not
// observed". meta start_realtime_ns and duration_ns are updated. Values stay; the caller adjusts
// rows of streams. Pure.
#pragma once

#include "core/model/profile.h"

namespace gprofx {

// `end` of anything that ended before the time 0 of its profile.
inline constexpr HostNs kEndedBefore = 1;

// Moves [begin, end) to [0, end - begin).
void BeginAt(HostNs begin, HostNs end, Profile& profile);

}  // namespace gprofx
