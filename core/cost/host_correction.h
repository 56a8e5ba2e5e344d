// Estimates host times without the profiling overhead: divides them by the overhead that the
// recording measured of itself (core/cost/own_cost.h).
//
// Corrected are values of metrics that count host time (CPU time, waiting), the clocks of threads,
// the wall time and those of its parts in which no GPU was busy. GPU times do not depend on
// profiling: they stay, as counts do. Positions in time (phases, ranges, events of streams) stay
// those of the recording, so that a range means the same work; use HostTime() for their lengths.
//
// Each value is rounded on its own and every sum is computed from rounded values, so that all views
// agree to the nanosecond. The wall time is divided as a whole. The busy time is then subtracted
// from it, and the idle parts (in which no GPU was busy) are scaled to add up to the remainder. The
// part idle.profiling is reduced first, the others in proportion. If nothing remains, the wall time
// is the busy time. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "core/gpu/gpu.h"

namespace gprofx {

class Profile;
struct Metric;
struct Value;

struct HostCorrection {  // 1 + ppm / 1,000,000 is the ratio
  int64_t ppm = 0, low_ppm = 0, high_ppm = 0;
  // Share of profiling in the sampled time. If profiling is left out (core/cost/profiling_time.h),
  // this share of the overhead is already gone from the sampled time, so that time is divided by a
  // smaller ratio, see SampledPpm().
  int64_t left_out_ppm = 0;
  bool operator==(const HostCorrection&) const = default;
};

// True if the metric counts host time.
bool IsHostTime(const Metric& metric);

// Returns the divisor of sampled time, as ppm above 1.
int64_t SampledPpm(const HostCorrection& correction);

// Returns the corrected host time. Halves are rounded away from 0.
int64_t HostTime(const HostCorrection& correction, int64_t ns);
// The same; returns `ns` unchanged if `profile` is not corrected.
int64_t HostTime(const Profile& profile, int64_t ns);
// Returns the corrected sampled time.
int64_t SampledTime(const HostCorrection& correction, int64_t ns);

// Corrects `profile`, which must have been loaded whole, once, and marks it as corrected. Its data
// quality counters stay as recorded.
void Correct(const HostCorrection& correction, Profile& profile);

// Corrects the tables of a slice of `profile`; does nothing if the profile is not corrected.
void CorrectPart(const Profile& profile, std::vector<Value>& values, std::vector<WallPart>& wall,
                 std::vector<WallLane>& lanes);

}  // namespace gprofx
