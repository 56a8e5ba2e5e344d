// Separates the time that profiling took in the profiled process from the time of the program
// itself.
//
// The following is profiling: the work of gprof-x's libraries, of CUPTI and of libnvperf, with the
// C library functions that they call. The driver's work is profiling where CUPTI calls it. A driver
// call that only passes through a function of gprof-x (samplers/cuda/hooks/driver_hooks.h) belongs
// to the program. All work of threads that gprof-x's libraries or CUPTI started is profiling.
//
// Views of a recording leave profiling out: its sampled time is reported separately and is in no
// row. With --all-frames nothing is left out. One thread per object.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

// True for CUPTI and for libnvperf, which CUPTI uses to sample instructions.
bool IsCuptiLibrary(std::string_view path);

// The function name under which samplers/collector/processes/process_clock.h stores the start-up
// work of gprof-x in a process.
inline constexpr char kOwnStart[] = "[gprof-x]";
// True if a thread with this name was started by samplers/cuda.
inline bool IsOwnThread(std::string_view name) { return name == "gprofx-gpu"; }

// Tells for each node whether its self time is profiling. Each node is classified once. The profile
// must outlive the object; nodes may only be appended. Nodes of an imported profile are never
// profiling.
class ProfilingStacks {
 public:
  explicit ProfilingStacks(const Profile& profile);
  bool Is(NodeId node) { return StackOf(node).is_profiling; }  // `node` must belong to the profile
  // True if the node's thread was started for profiling.
  bool IsWholeThread(NodeId node) { return StackOf(node).whole_thread; }

 private:
  enum class Sort : uint8_t { kProgram, kRunTime, kDriver, kAgent, kOurs, kCupti };
  struct Stack {                   // state of a stack from its root to a node
    bool is_profiling = false;     // true if the self time of the node is profiling
    bool whole_thread = false;     // the thread was started for profiling
    bool has_code = false;         // some frame is neither C runtime nor gprof-x's agent
    Sort latest = Sort::kProgram;  // of the innermost frame that is not C runtime or driver
  };

  Sort SortOf(const Module& module) const;
  static Stack Below(const Stack& above, Sort sort);
  Stack Extend(const Stack& above, FrameId id);
  const Stack& StackOf(NodeId node);

  const Profile& profile_;
  const bool is_imported_;
  std::vector<Sort> sorts_;    // by ModuleId::index()
  std::vector<Stack> stacks_;  // by NodeId::index()
};

enum class Profiling : uint8_t { kLeftOut, kShown };

// Stores the total time of profiling samples in quality["profiling_ns"]; it is part of the
// accounted time. kLeftOut also removes these samples from the values and stores their nodes and
// threads in Profile::left_out. Other data quality counters stay as recorded. Imported data is not
// changed. Call once, on a profile that was loaded whole.
void TakeOutProfiling(Profile& profile, Profiling profiling = Profiling::kLeftOut);

// True if samples of this thread at this node are left out.
bool IsLeftOut(const Profile& profile, NodeId node, ThreadId thread);
// True if all samples of the thread are left out, because it is not a thread of the program.
bool IsLeftOut(const Profile& profile, ThreadId thread);

// Removes from `values`, those of a slice, the samples that `profile` leaves out. The ids in
// `values` must be those of `profile`.
void TakeLeftOut(const Profile& profile, std::vector<Value>& values);

// Returns a sink that passes samples on to `sink`, except those that `profile` leaves out.
// `profile` must outlive it.
std::function<void(std::span<const SampleRow>)> WithoutLeftOut(
    const Profile& profile, std::function<void(std::span<const SampleRow>)> sink);

}  // namespace gprofx
