// Moves time 0 of a profile to a later time. Used for a profile that holds only the end of a
// recording.
//
// Times before the new begin become 0. Ends before it become 1, because an end of 0 means "not
// observed". meta start_realtime_ns and duration_ns are updated. Values stay; the caller must
// adjust rows of streams. Pure.
#pragma once

#include "core/model/profile.h"

namespace gprofx {

// The `end` of a thread, process and the like that ended before time 0 of its profile.
inline constexpr HostNs kEndedBefore = 1;

// Makes `begin` the new time 0 of `profile`; its duration becomes end - begin.
void BeginAt(HostNs begin, HostNs end, Profile& profile);

}  // namespace gprofx
