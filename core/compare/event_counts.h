// Counts the work of a run exactly, over the whole run and per step: kernels by name and grid,
// copies and their bytes, calls that wait for the GPU, and replays of CUDA graphs.
//
// An operation belongs to the step of its process in which it was launched. A kernel that runs late
// therefore counts where it was requested. The count per step is the value that at least two thirds
// of the steps after the warm-up have. A run of 100 steps and one of 120 can therefore have the
// same counts per step. If fewer steps agree, the count is marked as varying and not compared.
//
// Only calls that wait for earlier work are counted, because they always have a record. Other calls
// have a record only if they take long. Pure; one thread; linear. Memory: one number per name and
// step, up to a bound; further names are marked as varying.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/compare/run.h"
#include "core/events/events.h"
#include "core/model/profile.h"

namespace gprofx::compare {

class EventCounts {
 public:
  // The profile must outlive the object. If `with_steps` is true, also counts by the steps of the
  // profile's phases.
  EventCounts(const Profile& profile, bool with_steps);

  static std::span<const Stream> Streams();
  static std::vector<size_t> Columns(Stream stream);
  void Add(const EventTable& rows);

  void Whole(WorkDone& work) const;
  void EachStep(WorkDone& work) const;

 private:
  struct Counter {
    int64_t total = 0;
    bool unbounded = false;  // by_step would exceed the limit on cells
    // Count in each step: the steps of all trains, one train after another. Empty until used.
    std::vector<int64_t> by_step;
  };
  struct Train {
    const std::vector<TimeRange>* steps = nullptr;
    size_t first = 0;   // index in `steps` of the first step after the warm-up
    size_t place = 0;   // index of that step in Counter::by_step
    size_t latest = 0;  // step that contains the latest event
  };
  // A std::map, because pointers to its counters must stay valid.
  using Counters = std::map<std::string, Counter>;
  struct CopyCounters {
    // Counters for the name of the copy, for all copies, and for its direction.
    std::array<Counter*, 3> bytes = {}, copies = {};
  };

  // Returns the index in Counter::by_step of the step that contains `time`; -1 if no counted step
  // does.
  int64_t StepOf(int64_t time, int64_t thread);
  void Count(Counter& counter, int64_t step, int64_t amount);
  const CopyCounters& CountersOf(uint32_t kind, uint32_t source, uint32_t target);
  void AddKernels(const EventTable& rows);
  void AddCopies(const EventTable& rows);
  void AddSets(const EventTable& rows);
  void AddCalls(const EventTable& rows);
  void AddSyncs(const EventTable& rows);
  void AddGraphs(const EventTable& rows, std::span<const size_t> columns);
  void Put(WorkDone& work, bool each_step) const;
  void Merge(const Counters& from, std::map<std::string, int64_t>& to, WorkDone& work,
             bool each_step) const;

  const Profile& profile_;
  std::vector<Train> trains_;
  std::vector<uint32_t> train_of_;  // by ProcessId::index()
  size_t steps_ = 0, cells_ = 0;
  Counters names_, sums_;
  Counter syncs_;                    // synchronization records, for traces without calls
  std::vector<Counter*> by_config_;  // by GpuConfigId
  std::map<std::array<uint32_t, 3>, CopyCounters> copies_;  // by kind, source, target
  std::unordered_map<uint64_t, Counter*> calls_;            // by name; null = not counted
  std::unordered_set<uint64_t> graphs_;  // replays already counted: process and correlation
};

}  // namespace gprofx::compare
