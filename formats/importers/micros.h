// Times of Chrome traces: decimal microseconds as text -> nanoseconds, exactly. A double keeps
// 0.25 us of times since 1970. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gprofx::importers {

// "1712195495519689.25" -> 1712195495519689250; what is below a nanosecond is rounded. Nothing for
// what is no such number or beyond 64 bits.
std::optional<int64_t> NanosecondsOf(std::string_view micros);

}  // namespace gprofx::importers
