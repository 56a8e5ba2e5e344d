// The time that profiling took in the process of the program, told from the program's own.
//
// It is what our libraries do, and CUPTI and libnvperf with what they call: the C library, and the
// driver where CUPTI calls it. A call of the driver that only passes through a function of ours
// (samplers/cuda/hooks/driver_hooks.h) is the program's. Of threads that our libraries or CUPTI
// have started all is profiling.
//
// Views of a recording leave it out: its sampled time is counted apart, and is in no row. With
// --all-frames nothing is left out. One thread per object.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

// CUPTI, or libnvperf with which it samples instructions.
bool IsCuptiLibrary(std::string_view path);

// What is done in a process in which we start, as samplers/collector/processes/process_clock.h has
// it.
inline constexpr char kOwnStart[] = "[gprof-x]";
// As samplers/cuda names its thread.
inline bool IsOwnThread(std::string_view name) { return name == "gprofx-gpu"; }

// Says of a node whether its self time is profiling. Each node is looked at once. The profile must
// outlive it and only grow. In what was imported nothing is.
class ProfilingStacks {
 public:
  explicit ProfilingStacks(const Profile& profile);
  bool Is(NodeId node) { return StackOf(node).is_profiling; }  // a node of the profile
  // And was its thread begun for it?
  bool IsWholeThread(NodeId node) { return StackOf(node).whole_thread; }

 private:
  enum class Sort : uint8_t { kProgram, kRunTime, kDriver, kAgent, kOurs, kCupti };
  struct Stack {                   // what is known of it from its root to a node
    bool is_profiling = false;     // time in the node itself
    bool whole_thread = false;     // the thread was begun for it
    bool has_code = false;         // anything but the run time
    Sort latest = Sort::kProgram;  // but for the run time and the driver
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
// accounted time. kLeftOut: takes them out of the values; the profile then knows where they were
// (Profile::left_out). What is told of the quality of its data stays as it was recorded. What was
// imported from another tool stays as it is. Of a profile that was loaded whole, once.
void TakeOutProfiling(Profile& profile, Profiling profiling = Profiling::kLeftOut);

// Is a sample of the thread left out at that node?
bool IsLeftOut(const Profile& profile, NodeId node, ThreadId thread);
// Is it no thread of the program?
bool IsLeftOut(const Profile& profile, ThreadId thread);

// Takes what `profile` leaves out from values of the same ids: those of a part of it.
void TakeLeftOut(const Profile& profile, std::vector<Value>& values);

// `sink` for samples that `profile`, which must outlive it, does not leave out.
std::function<void(std::span<const SampleRow>)> WithoutLeftOut(
    const Profile& profile, std::function<void(std::span<const SampleRow>)> sink);

}  // namespace gprofx
