// What the host did between its calls, told by samples: for each class of host time its parts by
// reason and line. Used inside core/findings only.
//
// Samples of CPU time leave out the time in which a thread did not run: where they explain less
// than kExplained of a class, and less than chance would, the rest is time off the CPU. Otherwise
// their parts are taken as the parts of the whole, so that each class is divided exactly. Where
// time off the CPU was spent is told by the moments at which the thread was seen to wait, if there
// are any; samples of wall time tell it themselves. Pure.
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
  kElements,     // elements of tensors or arrays, one by one
  kMemoryCopy,   // memcpy and the like
  kLoading,      // waits for data, or loads it
  kLock,         // waits for the interpreter's lock or another one
  kWaiting,      // waits otherwise: sleeps, reads, another thread
  kUnknown,      // no samples tell it
  kModules,      // Python of calls of modules
  kRecorder,     // what the recording costs
};
inline constexpr size_t kHostReasons = 10;

struct HostPart {
  HostReason reason = HostReason::kUnknown;
  FrameId line;  // Python line; 0 = unknown
  int64_t ns = 0;
  int64_t copy_ns = 0;   // of it in operators that copy tensors
  int64_t again_ns = 0;  // of it for what is computed a second time
  NodeId node;           // of a sample
  bool nearby = false;   // no sample tells the line: it is that of the call before
};

struct HostCode {
  bool has_samples = false;
  std::vector<std::vector<HostPart>> of_class;  // their ns add up to that of the class
  // Lines of other threads that held the interpreter's lock while the host waited for it.
  struct Holder {
    FrameId line;
    NodeId node;
    ThreadId thread;
    int64_t ns = 0;
  };
  std::vector<Holder> holders;  // the most time first
  // What of the calls with a node the recording itself took, 0 to 1; by NodeId::value.
  std::unordered_map<uint32_t, double> recorder_in_calls;
};

HostCode FindHostCode(const Profile& profile, const TimeLine& line,
                      const std::vector<NodeTraits>& traits, const FindingEvents& events);

}  // namespace gprofx::findings
