// What the host did between its calls, according to samples: divides each class of host time
// (time_line.h) by reason and line. Used inside core/findings only.
//
// CPU-time samples do not cover the time in which a thread did not run. If the samples account for
// less than kExplained of a class, and for too little to be chance, the remaining time of the class
// is off-CPU time. Otherwise the proportions of the samples are applied to the whole class. Either
// way, the times of the lines add up to the time of the class. Off-CPU time is assigned to the
// lines at which probes found the thread waiting, if there are any. Wall-clock samples show off-CPU
// time directly. Pure.
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
  kElements,     // single elements of tensors or arrays
  kMemoryCopy,   // memcpy and the like
  kLoading,      // waits for data or loads it
  kLock,         // waits for the GIL or another lock
  kWaiting,      // other waits: sleeps, reads, another thread
  kUnknown,      // no samples
  kModules,      // Python code of module calls
  kRecorder,     // cost of the recording
};
inline constexpr size_t kHostReasons = 10;

struct HostPart {
  HostReason reason = HostReason::kUnknown;
  FrameId line;  // Python line; 0 = unknown
  int64_t ns = 0;
  int64_t copy_ns = 0;   // part spent in operators that copy tensors
  int64_t again_ns = 0;  // part spent on computing something a second time
  NodeId node;           // of a sample
  bool nearby = false;   // no sample has `line`: it is taken from the call before
};

struct HostCode {
  bool has_samples = false;
  std::vector<std::vector<HostPart>> of_class;  // the ns of each class add up to that of the class
  // Lines of other threads that held the GIL while the host waited for it.
  struct Holder {
    FrameId line;
    NodeId node;
    ThreadId thread;
    int64_t ns = 0;
  };
  std::vector<Holder> holders;  // most time first
  // Fraction, 0 to 1, that the recording itself took of the calls with a node; by NodeId::value.
  std::unordered_map<uint32_t, double> recorder_in_calls;
};

HostCode FindHostCode(const Profile& profile, const TimeLine& line,
                      const std::vector<NodeTraits>& traits, const FindingEvents& events);

}  // namespace gprofx::findings
