// Which times findings look at. Used inside core/findings only.
#pragma once

#include <vector>

#include "core/events/finding_events.h"
#include "core/model/profile.h"
#include "core/steps/phases.h"

namespace gprofx::findings {

// Times of a broken file may be anything; sums of these do not overflow.
inline constexpr HostNs kFarTime = INT64_MAX / 4;

// The steps of `process` that lie in what is shown completely.
std::vector<TimeRange> StepsOf(const Profile& profile, ProcessId process);

// Steps with what lies between them, but for pauses. `steps` are not empty.
std::vector<TimeRange> RunsOf(const std::vector<TimeRange>& steps);

// Where records of all work were made, inside of `runs`, which are in order of time.
std::vector<TimeRange> Segments(const FindingEvents& events, ProcessId process,
                                const std::vector<TimeRange>& runs);

}  // namespace gprofx::findings
