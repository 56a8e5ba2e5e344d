// Finds out from samples what the host did between its calls. Each class of host time (time_line.h)
// is divided by reason and line. Used inside core/findings only.
//
// CPU-time samples do not cover the time in which a thread did not run. If the samples of a class
// account for less than kExplained of its time, and by more than chance, the rest is off-CPU time.
// Otherwise the proportions of the samples are applied to the whole class. In both cases, the times
// of the lines add up to the time of the class. Off-CPU time is assigned to the lines at which
// probes found the thread waiting, if there are any. Wall-clock samples show off-CPU time directly.
// Pure.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/events/finding_events.h"
#include "core/findings/time_line.h"
#include "core/findings/traits.h"

namespace gprofx::findings {

enum class HostReason : uint8_t {
  kInterpreter,  // Python and its interpreter
  kNative,       // operators, launches, other native code
  kElements,     // accesses to single elements of tensors or arrays
  kMemoryCopy,   // memcpy and similar functions
  kLoading,      // waiting for data or loading it
  kLock,         // waiting for the GIL or another lock
  kWaiting,      // other waits: sleeping, reading, waiting for another thread
  kUnknown,      // no samples
  kModules,      // Python code that calls modules
  kRecorder,     // the cost of recording
};
inline constexpr size_t kHostReasons = 10;

struct HostPart {
  HostReason reason = HostReason::kUnknown;
  FrameId line;  // Python line; 0 = unknown
  int64_t ns = 0;
  int64_t copy_ns = 0;   // time in operators that copy tensors
  int64_t again_ns = 0;  // time spent on computing something again
  NodeId node;           // node of one of the samples
  bool nearby = false;   // `line` is that of a call next to the host time, not of a sample
};

struct HostCode {
  bool has_samples = false;
  // Parts by class; their times add up to the time of the class.
  std::vector<std::vector<HostPart>> of_class;
  // A line at which another thread held the GIL while the host waited for it.
  struct Holder {
    FrameId line;
    NodeId node;
    ThreadId thread;
    int64_t ns = 0;
  };
  std::vector<Holder> holders;  // most time first
  // Fraction, 0 to 1, of the time in calls that the recorder took, by NodeId::value of the call.
  std::unordered_map<uint32_t, double> recorder_in_calls;
};

HostCode FindHostCode(const Profile& profile, const TimeLine& line,
                      const std::vector<NodeTraits>& traits, const FindingEvents& events);

}  // namespace gprofx::findings
