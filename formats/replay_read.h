// What a replay needs beside the tables of a profile (core/replay_events.h). Blocking; memory: 72
// bytes for each operation.
#pragma once

#include "core/replay_events.h"
#include "core/result.h"
#include "formats/profile_source.h"

namespace gprofx {

Result<ReplayEvents> ReadReplayEvents(const ProfileSource& source);

}  // namespace gprofx
