// Folds one profile into another: ranks of a run, or runs of a program, become one profile.
//
// What is the same in both has one row afterwards: strings, modules (path and build-id), functions,
// frames, call paths, metrics, launch configurations, cubins (hash) and devices (UUID and facts).
// Processes, threads, contexts and streams are of their recording: those of two recordings stay
// apart, whatever their numbers; those of one recording that both profiles hold (the same host,
// start and rank, core/model/sources.h) are one, and their times and values add up. So the sum of
// each metric afterwards is the sum of both, in the whole, per frame and per source, in any order.
// The same file once more is refused (IsSameFile): it would count twice.
//
// `meta` keeps what all sources say; each source keeps its own meta and quality. Counters add up,
// but percentiles and longest times, of which the largest stays. The partition of the wall time is
// that of all sources, added up by name. Times of `from` are moved by the clock offset; one that
// means "unknown" stays 0. Rows of streams are in the files: IdMaps translates them.
//
// Pure; linear in the rows of both, but for a logarithm. On an error nothing has changed.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/events/events.h"
#include "core/model/profile.h"

namespace gprofx {

struct MergeOptions {
  // Added to all times of `from`, ns. Without it: by the realtime of both starts where both are
  // known, else 0. Times become negative where `from` began first: ClockOffsets
  // (core/model/sources.h) avoids that.
  std::optional<HostNs> clock_offset;
};

// Where the rows of `from` are now: by position (Id::index()).
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
  // Loaded profiles come without cubins: read them first where PC samples are to be translated.
  std::vector<CubinId> cubins;
  HostNs clock_offset = 0;

  // Rows of a stream of `from`, in the columns that are filled. An id that `from` does not have
  // becomes 0.
  void Translate(EventTable& rows) const;
  void Translate(SampleRow& row) const;
};

Result<IdMaps> Merge(Profile& into, const Profile& from, const MergeOptions& options = {});

}  // namespace gprofx
