// Converts times of Chrome traces, which are decimal microseconds as text, to nanoseconds. The
// result is exact. A double would have a resolution of only 0.25 us for times since 1970. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gprofx::importers {

// Returns the nanoseconds for a text: 1712195495519689250 for "1712195495519689.25". Rounds to the
// nanosecond. No value if the text is not a number or its value does not fit 64 bits.
std::optional<int64_t> NanosecondsOf(std::string_view micros);

}  // namespace gprofx::importers
