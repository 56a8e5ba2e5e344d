// Partitions the wall time [begin, end) of a run with a GPU exactly into busy and idle parts. The
// names of the parts are those of WallPart (core/gpu/gpu.h).
//
// Time goes to the first of these that fits:
//   1. Busy: some GPU ran compute work, communication or a copy, in this order. Work that overlaps
//      on several devices counts once.
//   2. Unknown: there are no records of GPU work (level_windows.h). This is neither busy nor idle.
//   3. Idle in a waiting call: a host thread that uses the GPU was in it. If several were, the
//      first call by name counts.
//   4. Idle with a full launch queue: a host thread waited for queue space.
//   5. Other idle time: attributed to the CPU samples of threads that use the GPU, and to the
//      probes that found one of them not running (core/gpu/idle_share.h). The rest is unexplained.
// Events may come in any order. Advance processes the time before a given time. Events that arrive
// later for that time are ignored and counted in late_ns(). Pure. Memory: the events that are not
// yet processed. One thread. Times are HostNs, at most 73 years from 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/gpu/gpu.h"
#include "core/model/ids.h"

namespace gprofx {

enum class BusyClass : uint8_t { kCompute, kCommunication, kCopy };
enum class HostClass : uint8_t { kPython, kDataLoading, kCudaCall, kNative, kBlocked, kProfiling };

// Names of idle parts (core/gpu/gpu.h).
inline constexpr char kQueueFullPart[] = "idle.queue_full";
inline constexpr char kUnexplainedPart[] = "idle.unexplained";
std::string WaitPart(const std::string& call);  // "idle.sync.cuStreamSynchronize"
const char* SharePart(HostClass what);          // "idle.python"
// Order of waiting calls: if several run at the same time, the first one counts. kNoRecords comes
// first; the calls follow by name.
struct CallOrder {
  bool operator()(const std::string& a, const std::string& b) const;
};

class WallPartition {
 public:
  WallPartition();
  ~WallPartition();

  void AddBusy(BusyClass what, HostNs begin, HostNs end);
  // Adds a waiting call of a thread that uses the GPU, or a time without records. `call` is a name
  // such as "cuStreamSynchronize", or kNoRecords.
  void AddWait(const std::string& call, HostNs begin, HostNs end);
  void AddQueueFull(HostNs begin, HostNs end);
  // Adds a sample of a thread that uses the GPU.
  void AddSample(HostClass what, HostNs time, int64_t weight_ns);

  // Adds a probe that found a thread not running. The thread must use the GPU. `what` is
  // kDataLoading or kBlocked.
  void AddLook(HostClass what, HostNs time);

  // Processes the windows (core/gpu/idle_share.h) that end by `time`.
  void Advance(HostNs time);
  size_t waiting() const;  // number of events not yet processed
  // Returns the partition of [begin, end): the parts that are not 0, in the order of
  // core/gpu/gpu.h. Their sum is end - begin. Time that Advance has processed should lie in the
  // range; if it does not, all parts are scaled down in proportion. The object must not be used
  // afterwards.
  std::vector<WallPart> Finish(HostNs begin, HostNs end);

  int64_t late_ns() const;
  // Returns the time of communication that compute work overlapped; it is in no part. Complete
  // after Finish.
  int64_t hidden_communication_ns() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gprofx
