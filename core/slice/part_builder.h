// Builds the profile of a time slice [begin, end) of a recording. It has the same tables as the
// profile of a whole recording. Every view can therefore show it.
//
// The slice contains:
//   - a CPU sample that was taken in the slice, with its whole weight;
//   - the part of the time of a kernel, copy, memset or waiting call that lies in the slice;
//   - an operation that begins in the slice.
// If slices cover the recording without overlap, they therefore add up to it. Events before the
// begin or after the end of the recording count in the first or the last slice. Two kinds of values
// do not add up. Samples of instructions have no time, so a kernel that ran in the range has all
// its samples of the whole recording. Estimates of work without records are computed anew for each
// slice, from the launches in it (core/slice/part_estimates.h).
//
// The wall-time categories of a slice add up to its length (core/wall/wall_partition.h). Idle time
// is attributed to CPU samples of threads that have launched GPU work; before the first launch, to
// samples of the main thread. Pure; one thread; profile and events must outlive the builder.
// Memory: the events, and the GPU work and samples between two calls of Advance. Times are HostNs.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/events/event_rows.h"
#include "core/gpu/gpu_overlap.h"
#include "core/gpu/level_windows.h"
#include "core/gpu/untraced_tails.h"
#include "core/model/host_class.h"
#include "core/model/profile.h"
#include "core/slice/part.h"
#include "core/slice/part_estimates.h"
#include "core/slice/part_events.h"
#include "core/slice/part_rows.h"
#include "core/steps/phases.h"
#include "core/wall/wall_partition.h"

namespace gprofx {

struct PartValues {
  std::vector<Value> values;
  std::vector<WallPart> wall;  // the sum is the length of the range; empty without a GPU
  std::vector<WallLane> lanes;
  std::optional<RecordsMade> records;  // from RecordsIn(); for ShownPart::records
};

// Returns the launches and recorded times of all processes in `range`, added up; no value if there
// are no windows.
std::optional<RecordsMade> RecordsIn(std::span<const LevelWindow> windows, TimeRange range);

// Returns the range in which events count: `range`, extended without limit where it begins or ends
// with the recording.
TimeRange CountedRange(const Profile& profile, TimeRange range);

// Call the functions in the order of their declaration. GPU work must be passed to LookAt and
// AddOperations, because the operations in `events` are not used.
class PartBuilder {
 public:
  PartBuilder(const Profile& profile, const PartEvents& events, TimeRange range);
  ~PartBuilder();

  // Adds a launch in the counted range. Call once for each, in any order, and only if there are
  // windows.
  void AddLaunch(const PhaseLaunch& launch) { estimates_.AddLaunch(launch); }
  // First pass over all GPU work of the recording. Pass it mostly in order of time.
  void LookAt(std::span<const PhaseOperation> operations);
  // Second pass over the same work. Either add all of it before the first Advance, or repeat
  // AddOperations, AddSamples and Advance for one interval of time after another.
  void AddOperations(std::span<const PhaseOperation> operations);
  // Adds samples of the counted range. Call once for each sample, after all work that begins before
  // it has been added.
  void AddSamples(std::span<const SampleRow> samples);
  // Processes the wall time before `time`. All work and samples before it must have been added.
  void Advance(HostNs time);
  PartValues Finish() &&;

 private:
  struct Cell;
  struct Lane;
  struct Work {
    HostNs begin = 0, end = 0;
    ProcessId process;
    GpuDeviceId device;
    BusyClass what = BusyClass::kCompute;
  };

  Cell& At(NodeId node, ThreadId thread);  // finds or adds the cell
  void AddSample(const SampleRow& row);
  size_t SlotOf(NodeId node, ThreadId thread) const;
  void Grow();
  void LookedAtAll();
  void AddOverlap(NodeId node, ThreadId thread, int64_t ns);
  void FeedWork(HostNs end);
  void AddWaits();
  void AddQueueFull();
  void AddLooks();
  void AddWindows();
  void BeginTails();
  void AddTails();
  void AddUnseen(ProcessId process, HostNs begin, HostNs end);
  void AddEstimates(std::vector<Value>& out) const;
  bool ExplainsIdle(ThreadId thread, HostNs time) const;
  void AddPcSamples(std::vector<Value>& out) const;
  template <class Use>
  void ForWalls(ProcessId process, GpuDeviceId device, HostNs begin, HostNs end, const Use& use);

  const Profile& profile_;
  const PartEvents& events_;
  const TimeRange range_, counted_;
  const bool has_walls_;
  HostClasses classes_;
  // Hash table with open addressing: 1 + position in cells_; 0 = free.
  std::vector<uint32_t> index_;
  std::vector<Cell> cells_;
  // By thread: CPU time with the GIL, and without it.
  std::vector<std::pair<int64_t, int64_t>> lock_;
  std::vector<HostNs> first_launch_;  // by ThreadId::index()
  HostNs first_of_all_ = 0;
  ThreadId main_;
  const bool has_estimates_;
  PartEstimates estimates_;
  BusyClasses busy_;
  std::vector<UntracedTails> tails_;  // by ProcessId::value
  bool looked_at_all_ = false;
  GpuOverlap overlap_;
  WallPartition wall_;
  std::vector<Work> work_;  // work not yet in the partitions, sorted by begin in descending order
  bool is_sorted_ = true;
  std::vector<std::unique_ptr<Lane>> lanes_;
};

// Replaces the values of the loaded `profile` with those of the slice. Every view then shows the
// slice. Data about the recording as a whole is not changed.
void ShowPart(PartValues values, ShownPart part, Profile& profile);

}  // namespace gprofx
