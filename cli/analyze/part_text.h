// Names the shown range of a recording for reports. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "core/model/profile.h"

namespace gprofx {

// Default maximum number of GPU operations to analyze. Each takes 600 bytes of memory. If a
// recording has more, only its middle is analyzed (formats/reading/range_source.h), unless the user
// chooses otherwise.
inline constexpr int64_t kMaxLookedAt = 2'000'000;

// Returns the name of the shown range, such as "the steady part". Returns "" if it is the whole
// recording. `is_middle` is true if the recording was too long and gprof-x chose its middle.
std::string PartText(const Profile& profile, bool is_middle = false);

}  // namespace gprofx
