// A profile whose time 0 is moved: for one that holds the end of a recording only.
//
// Times before the new begin become 0; of what ended before it they become 1, because 0 says that
// it was not seen to end. meta start_realtime_ns and duration_ns follow. Values stay; rows of
// streams are their owner's. Pure.
#pragma once

#include "core/model/profile.h"

namespace gprofx {

// `end` of what ended before the time 0 of its profile.
inline constexpr HostNs kEndedBefore = 1;

// What was at [begin, end) is at [0, end - begin) then.
void BeginAt(HostNs begin, HostNs end, Profile& profile);

}  // namespace gprofx
