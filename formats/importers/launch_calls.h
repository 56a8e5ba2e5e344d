// Stores the calls of a trace that launch GPU work, and finds the call that launched a piece of
// work.
//
// Work and its call share a correlation id. Ids are unique within a process and a run of the
// profiler, so a trace of several processes (gather/work_owners.h) or of several runs repeats them.
// Nested calls (of the runtime and of the driver) share an id as well; only the outermost is kept.
// Pure; one thread. Times are nanoseconds of the trace's own clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/model/profile.h"

namespace gprofx::importers {

struct LaunchCall {
  uint32_t correlation = 0;
  ProcessId process;
  ThreadId thread;
  NodeId node;
  int64_t start = 0, duration = 0;
  bool told = false;  // already written to the stream "launch calls"
};

// The correlation ids of GPU work. Most calls of a trace launch no work and have none of these ids,
// so they are not stored.
class LaunchIds {
 public:
  explicit LaunchIds(std::vector<uint32_t> ids);
  bool Contains(uint32_t id) const;
  size_t size() const { return ids_.size(); }

 private:
  std::vector<uint32_t> ids_;  // sorted; does not contain 0
};

class LaunchCalls {
 public:
  void Reserve(size_t calls) { calls_.reserve(calls); }
  void Add(const LaunchCall& call) { calls_.push_back(call); }
  void Sort();  // call after the last Add()

  // Returns the call of a process with this id. If there are several, returns the last one that
  // began at or before `start`, or the first one if none did. Returns null if there is no such
  // call.
  LaunchCall* Find(ProcessId process, uint32_t correlation, int64_t start);

  LaunchCall* At(size_t position) { return &calls_[position]; }
  std::span<const LaunchCall> calls() const { return calls_; }  // sorted by id, process and time

 private:
  std::vector<LaunchCall>::const_iterator After(uint32_t correlation, ProcessId process,
                                                int64_t start) const;

  std::vector<LaunchCall> calls_;
};

}  // namespace gprofx::importers
