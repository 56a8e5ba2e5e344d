// Gives work to the calls that may have launched it, where only time tells: in order. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gprofx::importers {

// Clocks of a GPU are converted to that of the host, so work may seem to begin before its call.
inline constexpr int64_t kClockError = 10'000;

inline constexpr size_t kNoCall = SIZE_MAX;

// Returns the index of the call of each piece of work; kNoCall for work before all calls. Both are
// begins, in order of time.
//
// First, each call gets the work from its begin to that of the next call. Then calls with several
// pieces share them with earlier calls that have none; the order stays. So no call is without work
// that could have some. Linear.
std::vector<size_t> MatchInTime(std::span<const int64_t> calls, std::span<const int64_t> work);

}  // namespace gprofx::importers
