// What of a recording is shown, in words.
#pragma once

#include <cstdint>
#include <string>

#include "core/model/profile.h"

namespace gprofx {

// More GPU work of a recording is looked at where somebody asks for it: 600 bytes of memory for
// each operation. Else its middle (formats/reading/range_source.h).
inline constexpr int64_t kMaxLookedAt = 2'000'000;

// "the steady part"; "" = all of it. `is_middle`: nobody asked for the part that is shown.
std::string PartText(const Profile& profile, bool is_middle = false);

}  // namespace gprofx
