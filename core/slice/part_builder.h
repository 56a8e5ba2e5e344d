// Builds a time slice of a recording: the samples, GPU work and waits in a range, as the same
// tables of values that the whole recording has. Every view of a slice is then a view of a profile.
//
// What counts in [begin, end): a CPU sample with its whole weight if it was taken there; the time
// of a kernel, copy, memset or waiting call that lies there; an operation if it begins there. The
// slices of a partition of the recording therefore add up to the recording. Times before the
// recording's begin or after its end count in the first and the last slice. Two kinds of values do
// not add up. Samples of instructions have no time, so a kernel that ran in the range has all its
// samples of the whole recording. Estimates of work without records are computed anew for each
// slice.
//
// The method of those estimates is in core/slice/part_estimates.h; it uses the launches of the
// slice.
//
// The wall time of a slice is divided exactly as that of a recording (core/wall/wall_partition.h).
// Idle time is explained by CPU samples of threads that have launched something before and, until
// one has, of the main thread. Pure; one thread; profile and events must outlive the builder.
// Memory: the events, and the GPU work and samples of one step of Advance. Times are HostNs.
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
  std::vector<WallPart> wall;  // sum: the length of the range; empty without a GPU
  std::vector<WallLane> lanes;
  std::optional<RecordsMade> records;  // as in ShownPart
};

// Sums over all processes; returns nothing if there are no windows.
std::optional<RecordsMade> RecordsIn(std::span<const LevelWindow> windows, TimeRange range);

// Returns the range in which events count. It is larger than `range` at the ends of the recording.
TimeRange CountedRange(const Profile& profile, TimeRange range);

// Call the functions in the order of their declaration. GPU work must be passed to LookAt and
// AddOperations: the operations in `events` are not used.
class PartBuilder {
 public:
  PartBuilder(const Profile& profile, const PartEvents& events, TimeRange range);
  ~PartBuilder();

  // Launches of the counted range, each once, in any order; only if there are windows.
  void AddLaunch(const PhaseLaunch& launch) { estimates_.AddLaunch(launch); }
  // First pass over all GPU work of the recording, mostly in order.
  void LookAt(std::span<const PhaseOperation> operations);
  // Second pass over the same work. Either add all of it before the first Advance, or repeat
  // AddOperations, AddSamples and Advance for one time slice after another.
  void AddOperations(std::span<const PhaseOperation> operations);
  // Samples of the counted range, each once, after all work that begins before them.
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
  std::vector<uint32_t> index_;  // open addressing: 1 + position in cells_, 0 = free
  std::vector<Cell> cells_;
  std::vector<std::pair<int64_t, int64_t>> lock_;  // by thread: held, released
  std::vector<HostNs> first_launch_;               // by ThreadId::index()
  HostNs first_of_all_ = 0;
  ThreadId main_;
  const bool has_estimates_;
  PartEstimates estimates_;
  BusyClasses busy_;
  std::vector<UntracedTails> tails_;  // by ProcessId::value
  bool looked_at_all_ = false;
  GpuOverlap overlap_;
  WallPartition wall_;
  std::vector<Work> work_;  // not yet in the partitions; sorted by begin, last first
  bool is_sorted_ = true;
  std::vector<std::unique_ptr<Lane>> lanes_;
};

// Turns a loaded `profile` into one of the slice, which every view then shows. Facts about the
// recording stay those of the whole.
void ShowPart(PartValues values, ShownPart part, Profile& profile);

}  // namespace gprofx
