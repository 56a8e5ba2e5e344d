// A part of a recording in time: what of its samples, GPU work and waits lies in a range, as the
// same tables of values that the whole recording has. Every view of a part is then a view of a
// profile.
//
// What counts in [begin, end): a CPU sample with its whole weight if it was taken there; of a
// kernel, copy, memset or waiting call the time that lies there; an operation where it begins. So
// the parts of a partition of the recording sum up to the recording. Two metrics do not: samples of
// instructions have no time, so a kernel that ran in the range has those of the whole recording;
// estimates of work without records are made for the whole recording only, a part has none.
//
// The wall time of a part is divided as that of a recording (core/wall_partition.h), exactly; CPU
// samples that lie in idle time are those of threads that have launched something before, and until
// one has of the main thread. Pure; one thread; profile and events must outlive the builder. Memory:
// the events, and the samples of one slice (Advance). Times are HostNs.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/host_class.h"
#include "core/part.h"
#include "core/phases.h"
#include "core/profile.h"
#include "core/wall_partition.h"

namespace gprofx {

struct PartValues {
  std::vector<Value> values;
  std::vector<WallPart> wall;  // together the length of the range; empty without a GPU
  std::vector<WallLane> lanes;
};

struct PartEvents {  // of the whole recording up to the end of the range, in any order
  PhaseEvents events;
  struct Full {  // a launch waited for room in its queue
    HostNs begin = 0, end = 0;
    ProcessId process;
  };
  std::vector<Full> queue_full;
};

class PartBuilder {
 public:
  PartBuilder(const Profile& profile, const PartEvents& events, TimeRange range);
  ~PartBuilder();

  // Samples of the range, each once.
  void AddSamples(std::span<const SampleRow> samples);
  // All samples before `time` were added: their share of the wall time can be worked off.
  void Advance(HostNs time);
  PartValues Finish() &&;

 private:
  struct Cell;
  struct Lane;

  Cell& At(NodeId node, ThreadId thread);
  void AddOperations();
  void AddWaits();
  void AddQueueFull();
  bool ExplainsIdle(ThreadId thread, HostNs time) const;
  void AddPcSamples(std::vector<Value>& out) const;
  template <class Use>
  void ForWalls(ProcessId process, GpuDeviceId device, HostNs begin, HostNs end, const Use& use);

  const Profile& profile_;
  const PartEvents& events_;
  const TimeRange range_;
  HostClasses classes_;
  std::unordered_map<uint64_t, size_t> index_;
  std::vector<Cell> cells_;
  std::vector<std::pair<int64_t, int64_t>> lock_;  // by thread: held, released
  std::vector<HostNs> first_launch_;               // by ThreadId::index()
  HostNs first_of_all_ = 0;
  ThreadId main_;
  WallPartition wall_;
  std::vector<std::unique_ptr<Lane>> lanes_;
};

// Makes `profile`, as it was loaded, one of the part: what every view then shows. Facts about the
// recording stay those of the whole.
void ShowPart(PartValues values, ShownPart part, Profile& profile);

}  // namespace gprofx
