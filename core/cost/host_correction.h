// Estimates host times without the profiling overhead: divides them by the ratio by which recording
// slowed the program. The recording has measured this ratio itself (core/cost/own_cost.h).
//
// These are corrected: values of metrics that count host time (CPU time, waiting), the clocks of
// threads, the wall time and its parts in which no GPU was busy. GPU times do not depend on
// profiling and are not changed; nor are counts. Positions in time (phases, ranges, events of
// streams) stay as recorded, because the user should get the same work for the same range. Use
// HostTime() to correct lengths.
//
// Each value is rounded on its own, and every sum is computed from rounded values. All views
// therefore agree to the nanosecond. The wall time is divided as a whole, and the busy time is
// subtracted. The idle parts (in which no GPU was busy) are scaled to add up to the remainder:
// idle.profiling is reduced first, the others in proportion. If nothing remains, the wall time is
// the busy time. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "core/gpu/gpu.h"

namespace gprofx {

class Profile;
struct Metric;
struct Value;

struct HostCorrection {  // recording slowed the program by the factor 1 + ppm / 1,000,000
  int64_t ppm = 0, low_ppm = 0, high_ppm = 0;
  // Share of profiling in the sampled time. If profiling is left out of the profile
  // (core/cost/profiling_time.h), the sampled time already lacks this share of the overhead. It is
  // then divided by a smaller ratio, see SampledPpm().
  int64_t left_out_ppm = 0;
  bool operator==(const HostCorrection&) const = default;
};

// True if the metric counts host time in ns.
bool IsHostTime(const Metric& metric);

// Returns the ratio by which sampled time is divided, as ppm above 1.
int64_t SampledPpm(const HostCorrection& correction);

// Returns `ns`, a host time, divided by the overhead. Halves are rounded away from 0.
int64_t HostTime(const HostCorrection& correction, int64_t ns);
// Returns HostTime() with the correction of `profile`; `ns` unchanged if `profile` is not
// corrected.
int64_t HostTime(const Profile& profile, int64_t ns);
// Returns `ns`, a time measured by samples, divided by the ratio of SampledPpm().
int64_t SampledTime(const HostCorrection& correction, int64_t ns);

// Corrects `profile` and marks it as corrected. Call only once, on a profile that was loaded whole.
// Data quality counters stay as recorded.
void Correct(const HostCorrection& correction, Profile& profile);

// Corrects the tables of a slice of `profile`. Does nothing if the profile is not corrected.
void CorrectPart(const Profile& profile, std::vector<Value>& values, std::vector<WallPart>& wall,
                 std::vector<WallLane>& lanes);

}  // namespace gprofx
