// Describes the recordings that a profile consists of: one, or several if it was merged
// (core/model/merge.h). Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

// Returns Profile::sources. If that is empty, returns one source derived from the profile's meta:
// host, rank and start_realtime_ns. A profile without meta and processes has no source.
std::vector<Source> SourcesOf(const Profile& profile);

// Returns the source of a process of `profile`. Its index() is the position in SourcesOf().
SourceId SourceOf(const Profile& profile, ProcessId process);

// True if both are the same recording: they have the same host, rank and start. False if the start
// is unknown.
bool IsSameRecording(const Source& a, const Source& b);

// True if both come from the same file. They then have the same recording id or, without ids, the
// same meta and counters. Two slices of one recording may also be equal in these. If there are no
// ids, compare the sums of the metrics as well.
bool IsSameFile(const Source& a, const Source& b);

// Returns CLOCK_REALTIME at time 0 of the profile's clock; 0 = unknown.
int64_t RealtimeOfZero(const Profile& profile);

// Returns, for each profile, the ns to add to its times to bring them to one common clock. Time 0
// of that clock is the earliest start. The offsets are only as accurate as the hosts' clocks agree.
// The offset of a profile without a known start is 0.
std::vector<HostNs> ClockOffsets(std::span<const Profile* const> profiles);
// Does the same for `zeros`, the values that RealtimeOfZero returned.
std::vector<HostNs> ClockOffsets(std::vector<int64_t> zeros);

// Returns the sum of a metric over each source, in the order of SourcesOf(). The sums add up to the
// total of the profile.
std::vector<int64_t> SumsBySource(const Profile& profile, MetricId metric);

}  // namespace gprofx
