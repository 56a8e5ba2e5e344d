// Reads the events that a replay needs in addition to the tables of a profile
// (core/events/replay_events.h). Blocking. Memory: 72 bytes per operation.
#pragma once

#include "core/base/result.h"
#include "core/events/replay_events.h"
#include "formats/profile/profile_source.h"

namespace gprofx {

Result<ReplayEvents> ReadReplayEvents(const ProfileSource& source);

}  // namespace gprofx
