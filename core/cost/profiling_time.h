// Separates the time that profiling took in the profiled process from the program's own time.
//
// Profiling is the work of our libraries, and of CUPTI and libnvperf with what they call: the C
// library, and the driver where CUPTI calls it. A driver call that only passes through one of our
// functions (samplers/cuda/hooks/driver_hooks.h) belongs to the program. In threads started by our
// libraries or CUPTI, everything is profiling.
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

// True for CUPTI, and for libnvperf, which CUPTI uses to sample instructions.
bool IsCuptiLibrary(std::string_view path);

// Function name of our start-up work in a process, as samplers/collector/processes/process_clock.h
// writes it.
inline constexpr char kOwnStart[] = "[gprof-x]";
// The name that samplers/cuda gives its thread.
inline bool IsOwnThread(std::string_view name) { return name == "gprofx-gpu"; }

// Tells whether the self time of a node is profiling. Each node is classified once. The profile
// must outlive the object; nodes may only be appended. False for imported nodes.
class ProfilingStacks {
 public:
  explicit ProfilingStacks(const Profile& profile);
  bool Is(NodeId node) { return StackOf(node).is_profiling; }  // a node of the profile
  // True if the node's thread was started for profiling.
  bool IsWholeThread(NodeId node) { return StackOf(node).whole_thread; }

 private:
  enum class Sort : uint8_t { kProgram, kRunTime, kDriver, kAgent, kOurs, kCupti };
  struct Stack {                   // state of a stack from its root to a node
    bool is_profiling = false;     // self time of the node
    bool whole_thread = false;     // the thread was started for profiling
    bool has_code = false;         // has frames other than the C runtime
    Sort latest = Sort::kProgram;  // of the innermost frame, except C runtime and driver
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

// Counts the samples of profiling in a recording: quality["profiling_ns"], which is part of the
// accounted time. kLeftOut: also removes them from the values and stores where they were in
// Profile::left_out. Data quality counters stay as recorded. Imported data is not changed. The
// profile must have been loaded whole; call once.
void TakeOutProfiling(Profile& profile, Profiling profiling = Profiling::kLeftOut);

// True if samples of the thread at that node are left out.
bool IsLeftOut(const Profile& profile, NodeId node, ThreadId thread);
// True if the thread is not one of the program.
bool IsLeftOut(const Profile& profile, ThreadId thread);

// Removes what `profile` leaves out from `values` of a slice, which has the same ids.
void TakeLeftOut(const Profile& profile, std::vector<Value>& values);

// Wraps `sink` to drop the samples that `profile` leaves out. `profile` must outlive the result.
std::function<void(std::span<const SampleRow>)> WithoutLeftOut(
    const Profile& profile, std::function<void(std::span<const SampleRow>)> sink);

}  // namespace gprofx
