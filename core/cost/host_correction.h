// The times of the host as they would be without recording: divided by what the recording has
// measured of its own cost (core/cost/own_cost.h).
//
// Corrected are values of metrics that count time of the host (CPU time, waiting), the clocks of
// threads, the wall time and the parts of it in which no GPU was busy. What GPUs did takes its time
// whether somebody watches or not: it stays, as counts do. Positions in time (phases, ranges,
// events of streams) stay those of the recording, so that a range means the same work; HostTime()
// is for the lengths of them.
//
// Each value is rounded for itself and every sum is made of the rounded ones, so that the views
// agree to the nanosecond. The wall time is divided as a whole: idle time is what of it no GPU was
// busy in, shared out in proportion, except for idle.profiling, which goes first. Where that leaves
// nothing, the wall time is the busy time. Pure.
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
  // The share of sampled time that was of profiling. Where it is left out
  // (core/cost/profiling_time.h) the rest is divided by so much less.
  int64_t left_out_ppm = 0;
  bool operator==(const HostCorrection&) const = default;
};

// Counts time of the host.
bool IsHostTime(const Metric& metric);

// What samples are divided by, less 1.
int64_t SampledPpm(const HostCorrection& correction);

// Half a nanosecond is rounded away from 0.
int64_t HostTime(const HostCorrection& correction, int64_t ns);
// As it is where `profile` is not corrected.
int64_t HostTime(const Profile& profile, int64_t ns);
// Of samples.
int64_t SampledTime(const HostCorrection& correction, int64_t ns);

// Of one profile that was loaded whole, once: `profile` says from then on that it is corrected.
// What is told of the quality of its data stays as it was recorded.
void Correct(const HostCorrection& correction, Profile& profile);

// Tables of a part of a profile that was corrected; nothing changes where it was not.
void CorrectPart(const Profile& profile, std::vector<Value>& values, std::vector<WallPart>& wall,
                 std::vector<WallLane>& lanes);

}  // namespace gprofx
