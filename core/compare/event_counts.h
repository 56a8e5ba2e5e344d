// Exact counts of a run's work: kernels by name and grid, copies and their bytes, calls that wait
// for the GPU, replays of CUDA graphs. Counted over the whole run and per step.
//
// An operation belongs to the step of its process in which it was launched, so a kernel that runs
// late counts where it was requested. The count per step is the value that at least two thirds of
// the steps after the warm-up have, so a run of 100 steps and one of 120 have the same counts. If
// fewer steps agree, the count is marked as varying and not compared. Only calls that wait for
// earlier work are counted, because they always have a record; other calls have one only if they
// take long. Pure; one thread; linear. Memory: one number per name and step, up to a bound beyond
// which names are treated as varying.
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
  // The profile must outlive it. `with_steps`: also count by the steps of the profile's phases.
  EventCounts(const Profile& profile, bool with_steps);

  static std::span<const Stream> Streams();
  static std::vector<size_t> Columns(Stream stream);
  void Add(const EventTable& rows);

  void Whole(WorkDone& work) const;
  void EachStep(WorkDone& work) const;

 private:
  struct Counter {
    int64_t total = 0;
    bool unbounded = false;        // more steps than the bound allows
    std::vector<int64_t> by_step;  // steps of all trains, concatenated; empty until used
  };
  struct Train {
    const std::vector<TimeRange>* steps = nullptr;
    size_t first = 0;   // index in `steps` of the first step after the warm-up
    size_t place = 0;   // index of that step in Counter::by_step
    size_t latest = 0;  // step of the latest event
  };
  using Counters = std::map<std::string, Counter>;  // pointers to counters stay valid
  struct CopyCounters {
    std::array<Counter*, 3> bytes = {}, copies = {};  // of its name, of all, of its direction
  };

  int64_t StepOf(int64_t time, int64_t thread);  // -1 = none
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
  Counter syncs_;                                           // waits of traces that have no calls
  std::vector<Counter*> by_config_;                         // by GpuConfigId
  std::map<std::array<uint32_t, 3>, CopyCounters> copies_;  // by kind, source, target
  std::unordered_map<uint64_t, Counter*> calls_;            // by name; null = not counted
  std::unordered_set<uint64_t> graphs_;                     // counted replays: process, correlation
};

}  // namespace gprofx::compare
