// Merges one profile into another, such as the ranks of a run or several runs of a program.
//
// Equal rows of these tables become one row: strings, modules (path and build-id), functions,
// frames, call paths, metrics, launch configurations, cubins (hash) and devices (UUID and
// properties). Processes, threads, contexts and streams belong to their recording: those of two
// recordings stay apart, even if they have equal numbers.
//
// Both profiles may hold the same recording (same host, start and rank; core/model/sources.h). Then
// the rows of that recording are matched too, and their times and values add up. After a merge, the
// sum of each metric is the sum of both profiles, in total, per frame and per source. The order of
// merging does not matter. Merging the same file twice would count it twice and is refused
// (IsSameFile).
//
// `meta` keeps the entries on which all sources agree; each source keeps its own meta and quality.
// Counters add up, except percentiles and maxima, of which the larger is kept. The partition of the
// wall time is summed over all sources by name. Times of `from` are shifted by the clock offset; a
// time of 0 that means "unknown" stays 0. Rows of event streams are not part of a Profile. Use
// IdMaps to translate them.
//
// Pure; O(n log n) in the rows of both. On an error nothing has changed.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/events/events.h"
#include "core/model/profile.h"

namespace gprofx {

struct MergeOptions {
  // Number of ns to add to all times of `from`. If unset, it is the difference of the two starts in
  // CLOCK_REALTIME, or 0 if one of them is unknown. If `from` started first, its times then become
  // negative; offsets from ClockOffsets (core/model/sources.h) avoid that.
  std::optional<HostNs> clock_offset;
};

// Maps each row of `from` to its row after the merge. A map is indexed by the old id (Id::index()).
struct IdMaps {
  std::vector<StringId> strings;
  std::vector<ModuleId> modules;
  std::vector<FunctionId> functions;
  std::vector<FrameId> frames;
  std::vector<NodeId> nodes;
  std::vector<SourceId> sources;
  std::vector<ProcessId> processes;
  std::vector<ThreadId> threads;
  std::vector<MetricId> metrics;
  std::vector<GpuDeviceId> devices;
  std::vector<GpuContextId> contexts;
  std::vector<GpuStreamId> streams;
  std::vector<GpuConfigId> configs;
  // Cubins of `from` that are in memory. A loaded profile has none: to translate PC samples, load
  // the cubins before the merge.
  std::vector<CubinId> cubins;
  HostNs clock_offset = 0;

  // Translates the ids and times in rows of a stream of `from`, in place. An id that does not exist
  // in `from` becomes 0.
  void Translate(EventTable& rows) const;
  void Translate(SampleRow& row) const;
};

Result<IdMaps> Merge(Profile& into, const Profile& from, const MergeOptions& options = {});

}  // namespace gprofx
