// The recordings in a profile: one, or several in a merged profile (core/model/merge.h). Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

// Returns Profile::sources. If that is empty, returns one source derived from the profile's meta:
// host, rank and start_realtime_ns. A profile without meta and processes has no source.
std::vector<Source> SourcesOf(const Profile& profile);

// Returns the position in SourcesOf. `process` must be one of the profile's.
SourceId SourceOf(const Profile& profile, ProcessId process);

// True if both have the same host, rank and start. Without a start: always false.
bool IsSameRecording(const Source& a, const Source& b);

// True if both are the same file: they have the same recording id or, without ids, the same meta
// and counters. Without an id, slices of one recording can look the same: compare their sums too.
bool IsSameFile(const Source& a, const Source& b);

// CLOCK_REALTIME at time 0 of the profile's clock; 0 = unknown.
int64_t RealtimeOfZero(const Profile& profile);

// Returns for each profile what to add to its times so that all share one clock, whose 0 is the
// earliest start. Only as accurate as the hosts' clocks agree. 0 where a start is unknown.
std::vector<HostNs> ClockOffsets(std::span<const Profile* const> profiles);
// The same, from values of RealtimeOfZero.
std::vector<HostNs> ClockOffsets(std::vector<int64_t> zeros);

// Returns the sum of a metric for each of SourcesOf (each rank, if each recording is one). Their
// sum is the total of the profile.
std::vector<int64_t> SumsBySource(const Profile& profile, MetricId metric);

}  // namespace gprofx
