// Stores when GPU work of a process was recorded, as windows of time with and without records.
// Pure; one thread.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/model/ids.h"

namespace gprofx {

// In the wall time (core/wall/wall_partition.h), a time without records is a waiting call with this
// name. The GPU is then known neither to be busy nor to be idle.
inline constexpr char kNoRecords[] = "time without records";
// Name of the WallPart (core/gpu/gpu.h) that holds the time without records.
inline constexpr char kUnseenPart[] = "idle.sync.time without records";

struct LevelWindow {
  HostNs begin = 0, end = 0;
  int64_t launches = 0;
  bool recording = false;  // something was recorded, such as launches
  bool traced = false;     // GPU work was recorded
  ProcessId process;       // set only if windows of several processes are stored together
};

// Counts the gaps, the times without records of one process.
class Gaps {
 public:
  Gaps() = default;
  explicit Gaps(std::vector<HostNs> begins);              // in any order
  void Begin(HostNs begin) { begins_.push_back(begin); }  // call in order of time
  bool empty() const { return begins_.empty(); }
  uint32_t Before(HostNs time) const;  // number of gaps that began at `time` or before

 private:
  std::vector<HostNs> begins_;
};

class LevelWindows {
 public:
  // Begin opens a window and End closes it. Within a window, the recording level does not change.
  // `launches` is the number of launches so far. Call in the order of time.
  void Begin(HostNs begin, bool recording, bool traced, int64_t launches);
  // Returns the window that was closed; nullptr if none was open. The pointer is valid until the
  // next Begin.
  const LevelWindow* End(HostNs end, int64_t launches);
  const std::vector<LevelWindow>& windows() const { return windows_; }
  // True if some of [start, end) lies in a window without records of GPU work, which may still be
  // open.
  bool AnyUntraced(HostNs start, HostNs end) const;
  const Gaps& gaps() const { return gaps_; }

 private:
  std::vector<LevelWindow> windows_;
  Gaps gaps_;
  int64_t launches_ = 0;  // number of launches at the begin of the latest window
  bool open_ = false;
};

// True if a process launches enough work for its gaps to matter. `most` is the number of launches
// of the busiest process. Other processes, such as a daemon that has opened the GPU, are recorded
// all the time, because that costs the run nothing.
constexpr bool LaunchesEnough(int64_t launches, int64_t most) { return launches >= most / 100; }

// True for a window in which launches were counted but GPU work was not recorded.
bool IsGap(const LevelWindow& window);

// Returns the windows of the processes that launch enough. Returns all windows if none of those is
// a gap.
std::vector<LevelWindow> OfLaunching(std::span<const LevelWindow> windows);

// How many launches a time range has, and for how much of the range GPU work was recorded.
struct RecordsMade {
  int64_t launches = 0, traced_launches = 0;
  // traced_ns: length of windows with records of GPU work. counted_ns: length of those without.
  int64_t traced_ns = 0, counted_ns = 0;
  bool operator==(const RecordsMade&) const = default;
};

// Sets the counters gpu_level_... in `quality` from `made`.
void DescribeRecords(const RecordsMade& made, std::map<std::string, int64_t>& quality);

// Adds to `made` the part of a window that lies in [begin, end), and the same share of its
// launches.
void AddWindow(const LevelWindow& window, HostNs begin, HostNs end, RecordsMade& made);

}  // namespace gprofx
