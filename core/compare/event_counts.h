// What a run did, counted exactly: kernels by name and grid, copies and their bytes, calls that
// wait for the GPU, replays of CUDA graphs; in the whole run and in one of its steps.
//
// An operation belongs to the step of its process in which it was launched, so a kernel that runs
// late counts where it was asked for. The count of a step is that of nearly all steps of the steady
// phase; where they do not agree it varies, and says nothing. So a run of 100 steps and one of 120
// have the same counts. Of calls those are counted that wait for what was asked for before: they
// always have a record, others only where they take long. Pure; one thread; linear. Memory: a
// number for each name and step, with a bound beyond which names vary.
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
  // The profile must outlive it; its phases are those of `with_steps`.
  EventCounts(const Profile& profile, bool with_steps);

  static std::span<const Stream> Streams();
  static std::vector<size_t> Columns(Stream stream);
  void Add(const EventTable& rows);

  void Whole(WorkDone& work) const;
  void EachStep(WorkDone& work) const;

 private:
  struct Counter {
    int64_t total = 0;
    bool unbounded = false;        // more steps than there is room for
    std::vector<int64_t> by_step;  // of all trains, one behind the other; empty until one counts
  };
  struct Train {
    const std::vector<TimeRange>* steps = nullptr;
    size_t first = 0;   // step that counts: those before are warm-up
    size_t place = 0;   // of it in Counter::by_step
    size_t latest = 0;  // where the latest event was found
  };
  using Counters = std::map<std::string, Counter>;  // whose places stay where they are
  struct CopyCounters {
    std::array<Counter*, 3> bytes = {}, copies = {};  // by name, all, by direction
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
  Counter syncs_;                    // records of waiting, where a trace has no calls
  std::vector<Counter*> by_config_;  // by GpuConfigId
  std::map<std::array<uint32_t, 3>, CopyCounters> copies_;  // by kind, source, target
  std::unordered_map<uint64_t, Counter*> calls_;            // by name; null = not counted
  std::unordered_set<uint64_t> graphs_;                     // replays seen: process and correlation
};

}  // namespace gprofx::compare
