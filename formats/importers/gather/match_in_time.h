// Finds the calls that launched GPU work if only the times of both are known. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gprofx::importers {

// Work may seem to begin up to this many ns before its call, because times of the GPU are converted
// to the clock of the host.
inline constexpr int64_t kClockError = 10'000;

inline constexpr size_t kNoCall = SIZE_MAX;

// Returns the index of the call of each piece of work; kNoCall for work before all calls. `calls`
// and `work` hold the begins, in ascending order.
//
// First, each call gets the work from its begin to that of the next call. Then calls with several
// pieces of work give some to earlier calls that have none. The order does not change. A call is
// left without work only if no work can belong to it. Linear.
std::vector<size_t> MatchInTime(std::span<const int64_t> calls, std::span<const int64_t> work);

}  // namespace gprofx::importers
