// Where the wall time of a run with a GPU went: an exact partition of [begin, end) into busy and
// idle parts (names: core/gpu/gpu.h, WallPart).
//
// Events come in any order. Advance works off what is before a time; of events that come later the
// part before it is counted in late_ns() and changes nothing. Busy: the union over all devices,
// overlaps counted once, compute before communication before copy. What is not busy in time without
// records (level_windows.h) is neither: nobody knows. Idle: first the parts in which a host thread
// that uses the GPU was in a waiting call (of several the first by name), or found the launch queue
// full; what remains is shared out by the CPU samples of those threads that lie in it, and by the
// moments at which one of them was seen to be off the CPU (core/gpu/idle_share.h); what they do not
// explain is unexplained. Pure; memory is
// that of the events that are not worked off. One thread. Times: HostNs, at most 73 years from 0.
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
// Of several waiting calls at a time the first counts: by name, behind kNoRecords.
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

  // Such a thread did not run: kDataLoading or kBlocked.
  void AddLook(HostClass what, HostNs time);

  // Works off whole windows (core/gpu/idle_share.h) that end before `time`.
  void Advance(HostNs time);
  size_t waiting() const;  // events that are not worked off
  // The whole partition of [begin, end): parts that are not 0, in the order of core/gpu/gpu.h;
  // their sum is end - begin. Ends the object's work. Events that Advance has worked off should lie
  // within; where they do not, all parts are scaled down in proportion.
  std::vector<WallPart> Finish(HostNs begin, HostNs end);

  int64_t late_ns() const;
  // Communication that something was computed beside; no part of the partition. Grows as time is
  // worked off, whole after Finish.
  int64_t hidden_communication_ns() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gprofx
