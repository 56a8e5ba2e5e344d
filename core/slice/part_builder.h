// A part of a recording in time: what of its samples, GPU work and waits lies in a range, as the
// same tables of values that the whole recording has. Every view of a part is then a view of a
// profile.
//
// What counts in [begin, end): a CPU sample with its whole weight if it was taken there; of a
// kernel, copy, memset or waiting call the time that lies there; an operation where it begins. So
// the parts of a partition of the recording sum up to the recording; what has a time before its
// begin or behind its end counts in the first and in the last part. Two kinds of values do not:
// samples of instructions have no time, so a kernel that ran in the range has those of the whole
// recording; and estimates of work without records are made anew for each part.
//
// Method of those: core/slice/part_estimates.h, by the launches of the part.
//
// The wall time of a part is divided as that of a recording (core/wall/wall_partition.h), exactly;
// CPU samples that lie in idle time are those of threads that have launched something before, and
// until one has of the main thread. Pure; one thread; profile and events must outlive the builder.
// Memory: the events, and GPU work and samples of one slice (Advance). Times are HostNs.
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
  std::vector<WallPart> wall;  // together the length of the range; empty without a GPU
  std::vector<WallLane> lanes;
  std::optional<RecordsMade> records;  // as ShownPart has it
};

// Of all processes; nothing where there are no windows.
std::optional<RecordsMade> RecordsIn(std::span<const LevelWindow> windows, TimeRange range);

// What is counted in a range: more than it where it reaches an end of the recording.
TimeRange CountedRange(const Profile& profile, TimeRange range);

// The calls in their order; operations are not those of `events`.
class PartBuilder {
 public:
  PartBuilder(const Profile& profile, const PartEvents& events, TimeRange range);
  ~PartBuilder();

  // Launches of the counted range, each once; only where there are windows. In any order.
  void AddLaunch(const PhaseLaunch& launch) { estimates_.AddLaunch(launch); }
  // All GPU work of the recording, mostly in order: what must be known of it before it is added.
  void LookAt(std::span<const PhaseOperation> operations);
  // The same work again: in slices of time, all before that at once, or all of it.
  void AddOperations(std::span<const PhaseOperation> operations);
  // Samples of the counted range, each once; all work that begins before them was added.
  void AddSamples(std::span<const SampleRow> samples);
  // All work and samples before `time` were added: their share of the wall time can be worked off.
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

  Cell& At(NodeId node, ThreadId thread);  // found or made
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
  std::vector<Work> work_;  // not yet in the partitions; the first to begin comes last
  bool is_sorted_ = true;
  std::vector<std::unique_ptr<Lane>> lanes_;
};

// Makes `profile`, as it was loaded, one of the part: what every view then shows. Facts about the
// recording stay those of the whole.
void ShowPart(PartValues values, ShownPart part, Profile& profile);

}  // namespace gprofx
