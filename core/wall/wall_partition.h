// Partitions the wall time [begin, end) of a run with a GPU exactly into busy and idle parts
// (names: core/gpu/gpu.h, WallPart).
//
// Events come in any order. Advance processes the time before a given time. If an event arrives
// after that, its part before that time is counted in late_ns() and otherwise ignored. Busy: the
// union over all devices, overlaps counted once, compute before communication before copy. Time
// without records (level_windows.h) that is not busy is unknown, neither busy nor idle. Idle: first
// the parts in which a host thread that uses the GPU was in a waiting call (the first by name, if
// several were), or found the launch queue full. The rest is attributed to the CPU samples of those
// threads that lie in it, and to the checks that found one of them off the CPU
// (core/gpu/idle_share.h). What these do not explain is unexplained. Pure; memory: the events that
// are not yet processed. One thread. Times: HostNs, at most 73 years from 0.
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
// Order of simultaneous waiting calls, of which the first counts: kNoRecords precedes all calls,
// which are sorted by name.
struct CallOrder {
  bool operator()(const std::string& a, const std::string& b) const;
};

class WallPartition {
 public:
  WallPartition();
  ~WallPartition();

  void AddBusy(BusyClass what, HostNs begin, HostNs end);
  // "cuStreamSynchronize", or kNoRecords.
  void AddWait(const std::string& call, HostNs begin, HostNs end);
  void AddQueueFull(HostNs begin, HostNs end);
  void AddSample(HostClass what, HostNs time, int64_t weight_ns);  // of threads that use the GPU

  // A check found a thread that uses the GPU not running. `what`: kDataLoading or kBlocked.
  void AddLook(HostClass what, HostNs time);

  // Processes whole windows (core/gpu/idle_share.h) that end before `time`.
  void Advance(HostNs time);
  size_t waiting() const;  // events not yet processed
  // Returns the whole partition of [begin, end): parts that are not 0, in the order of
  // core/gpu/gpu.h; their sum is end - begin. Events that Advance has processed should lie within;
  // if they do not, all parts are scaled down in proportion. The object must not be used
  // afterwards.
  std::vector<WallPart> Finish(HostNs begin, HostNs end);

  int64_t late_ns() const;
  // Communication overlapped by compute work; not a part of the partition. Grows as time is
  // processed, complete after Finish.
  int64_t hidden_communication_ns() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gprofx
