// Finds the time ranges that findings analyse. Used inside core/findings only.
#pragma once

#include <vector>

#include "core/events/finding_events.h"
#include "core/model/profile.h"
#include "core/steps/phases.h"

namespace gprofx::findings {

// Limit for times, because a corrupt file may contain any. Sums of two times within it do not
// overflow.
inline constexpr HostNs kFarTime = INT64_MAX / 4;

// Returns the steps of `process` that lie completely in the shown range. Times are limited to
// kFarTime.
std::vector<TimeRange> StepsOf(const Profile& profile, ProcessId process);

// Joins steps, and the time between them, to ranges. A pause between two steps, such as an
// evaluation, ends a range. `steps` must not be empty.
std::vector<TimeRange> RunsOf(const std::vector<TimeRange>& steps);

// Returns the ranges within `runs` in which all GPU work of the process was recorded. `runs` must
// come from RunsOf().
std::vector<TimeRange> Segments(const FindingEvents& events, ProcessId process,
                                const std::vector<TimeRange>& runs);

}  // namespace gprofx::findings
