// Merges one profile into another, such as the ranks of a run or several runs of a program.
//
// Rows that are equal in both become one row: strings, modules (path and build-id), functions,
// frames, call paths, metrics, launch configurations, cubins (hash) and devices (UUID and facts).
// Processes, threads, contexts and streams belong to their recording. Those of two recordings stay
// apart, whatever their numbers. If both profiles hold the same recording (same host, start and
// rank, core/model/sources.h), its rows are merged, and their times and values add up. The sum of
// each metric after the merge is therefore the sum of both, in total, per frame and per source,
// whatever the order of merging. Merging the same file twice is refused (IsSameFile): it would
// count twice.
//
// `meta` keeps the entries on which all sources agree; each source keeps its own meta and quality.
// Counters add up, except percentiles and maxima, of which the larger is kept. The partition of the
// wall time is summed over all sources by name. Times of `from` are shifted by the clock offset; a
// time of 0 that means "unknown" stays 0. Rows of streams are stored in files: use IdMaps to
// translate them.
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
  // Added to all times of `from`, ns. If unset, it is derived from the realtime of both starts if
  // both are known, otherwise it is 0. Times become negative if `from` began first; ClockOffsets
  // (core/model/sources.h) avoids that.
  std::optional<HostNs> clock_offset;
};

// The new ids of the rows of `from`, by position (Id::index()).
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
  // Loaded profiles have no cubins: to translate PC samples, load the cubins first.
  std::vector<CubinId> cubins;
  HostNs clock_offset = 0;

  // Translates rows of a stream of `from`, in the columns that are filled. An id that `from` does
  // not have becomes 0.
  void Translate(EventTable& rows) const;
  void Translate(SampleRow& row) const;
};

Result<IdMaps> Merge(Profile& into, const Profile& from, const MergeOptions& options = {});

}  // namespace gprofx
