// Keeps the times of a process in which GPU work was recorded. They alternate with times in which
// it was not. Pure; one thread.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/model/ids.h"

namespace gprofx {

// Stands in the wall time (core/wall/wall_partition.h) for the name of a waiting call during time
// without records, in which the GPU is neither known to be busy nor known to be idle.
inline constexpr char kNoRecords[] = "time without records";
// Name of the WallPart (core/gpu/gpu.h) that holds the time without records.
inline constexpr char kUnseenPart[] = "idle.sync.time without records";

struct LevelWindow {
  HostNs begin = 0, end = 0;
  int64_t launches = 0;
  bool recording = false;  // anything was recorded, such as launches
  bool traced = false;     // GPU work was recorded
  ProcessId process;       // set only if windows of several processes are kept together
};

// Counts the times without records of one process.
class Gaps {
 public:
  Gaps() = default;
  explicit Gaps(std::vector<HostNs> begins);              // in any order
  void Begin(HostNs begin) { begins_.push_back(begin); }  // in order
  bool empty() const { return begins_.empty(); }
  uint32_t Before(HostNs time) const;  // number of gaps that had begun at `time`

 private:
  std::vector<HostNs> begins_;
};

class LevelWindows {
 public:
  // Begin opens a window and End closes it; the recording level is constant in a window. `launches`
  // is the number of launches so far. Call in the order of time.
  void Begin(HostNs begin, bool recording, bool traced, int64_t launches);
  // Returns the window that was closed; nullptr if none was open. The pointer is valid until Begin.
  const LevelWindow* End(HostNs end, int64_t launches);
  const std::vector<LevelWindow>& windows() const { return windows_; }
  // True if a part of [start, end) lies in a window without records of GPU work. Includes a window
  // that is still open.
  bool AnyUntraced(HostNs start, HostNs end) const;
  const Gaps& gaps() const { return gaps_; }

 private:
  std::vector<LevelWindow> windows_;
  Gaps gaps_;
  int64_t launches_ = 0;  // number of launches at the begin of the latest window
  bool open_ = false;
};

// True if a process launches enough for its gaps to matter. `most` is the number of launches of the
// busiest process. A process that hardly launches, such as a daemon that has opened the GPU, is
// always recorded, because that costs the run nothing.
constexpr bool LaunchesEnough(int64_t launches, int64_t most) { return launches >= most / 100; }

// True for a window in which launches were counted but GPU work was not recorded.
bool IsGap(const LevelWindow& window);

// Returns the windows of the processes that launch enough. Returns all windows if none of those is
// a gap.
std::vector<LevelWindow> OfLaunching(std::span<const LevelWindow> windows);

// Number of launches in a time range, and for how much of the range GPU work was recorded.
struct RecordsMade {
  int64_t launches = 0, traced_launches = 0;
  int64_t traced_ns = 0, counted_ns = 0;  // length of windows with records of GPU work, and without
  bool operator==(const RecordsMade&) const = default;
};

// Sets the counters gpu_level_... in `quality`.
void DescribeRecords(const RecordsMade& made, std::map<std::string, int64_t>& quality);

// Adds to `made` the part of a window that lies in [begin, end), and the same share of its
// launches.
void AddWindow(const LevelWindow& window, HostNs begin, HostNs end, RecordsMade& made);

}  // namespace gprofx
