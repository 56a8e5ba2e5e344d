// The recordings that a profile is made of: one, unless it was merged (core/model/merge.h). Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

// Profile::sources, or, where there is none, the one that its meta tells of: host, rank and
// start_realtime_ns. A profile without facts and processes has none.
std::vector<Source> SourcesOf(const Profile& profile);

// Position in SourcesOf; the process is one of the profile's.
SourceId SourceOf(const Profile& profile, ProcessId process);

// Of the same recording, as far as its facts tell: those without a start are never the same.
bool IsSameRecording(const Source& a, const Source& b);

// Of the same file, as far as facts tell: its id is the same, or, where there is none, all facts
// and counters. Without an id, parts of a recording may say the same: look at their sums.
bool IsSameFile(const Source& a, const Source& b);

// CLOCK_REALTIME at time 0 of the profile's clock; 0 = unknown.
int64_t RealtimeOfZero(const Profile& profile);

// What to add to the times of each profile so that all have one clock, which begins with the first
// of them. As good as the clocks of their hosts agree; 0 where a start is unknown.
std::vector<HostNs> ClockOffsets(std::span<const Profile* const> profiles);
// The same, of their RealtimeOfZero.
std::vector<HostNs> ClockOffsets(std::vector<int64_t> zeros);

// The sum of a metric in each of SourcesOf: of each rank, where a recording is one. All together
// are the total of the profile.
std::vector<int64_t> SumsBySource(const Profile& profile, MetricId metric);

}  // namespace gprofx
