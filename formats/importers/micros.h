// Converts times of Chrome traces, decimal microseconds as text, to nanoseconds, exactly. A double
// would resolve times since 1970 to 0.25 us only. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gprofx::importers {

// "1712195495519689.25" -> 1712195495519689250. Rounds to the nanosecond. nullopt if the text is
// not such a number or does not fit 64 bits.
std::optional<int64_t> NanosecondsOf(std::string_view micros);

}  // namespace gprofx::importers
