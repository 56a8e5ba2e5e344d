// The times of a process in which GPU work was recorded: windows with and without records
// alternate. Pure; one thread.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/model/ids.h"

namespace gprofx {

// Used in place of the name of a waiting call for time without records in the wall time
// (core/wall/wall_partition.h), because the GPU was then neither known to be busy nor known to be
// idle.
inline constexpr char kNoRecords[] = "time without records";
// Name of the WallPart (core/gpu/gpu.h) that holds the time without records.
inline constexpr char kUnseenPart[] = "idle.sync.time without records";

struct LevelWindow {
  HostNs begin = 0, end = 0;
  int64_t launches = 0;
  bool recording = false;  // any recording at all
  bool traced = false;     // records of GPU work
  ProcessId process;       // if windows of several processes are kept together
};

// The times without records of one process.
class Gaps {
 public:
  Gaps() = default;
  explicit Gaps(std::vector<HostNs> begins);              // in any order
  void Begin(HostNs begin) { begins_.push_back(begin); }  // in order
  bool empty() const { return begins_.empty(); }
  uint32_t Before(HostNs time) const;  // number of gaps that had begun

 private:
  std::vector<HostNs> begins_;
};

class LevelWindows {
 public:
  // Begin opens a window and End closes it; the level does not change in between. `launches`:
  // number of launches so far. Call in the order of time.
  void Begin(HostNs begin, bool recording, bool traced, int64_t launches);
  // Returns the window that was closed; nullptr if no window is open.
  const LevelWindow* End(HostNs end, int64_t launches);
  const std::vector<LevelWindow>& windows() const { return windows_; }
  // True if any part of [start, end) lies in a window without records, even one that is still open.
  bool AnyUntraced(HostNs start, HostNs end) const;
  const Gaps& gaps() const { return gaps_; }

 private:
  std::vector<LevelWindow> windows_;
  Gaps gaps_;
  int64_t launches_ = 0;  // at the begin of the latest window
  bool open_ = false;
};

// True if the level of a process matters, given that the busiest process made `most` launches. A
// process that hardly launches (a daemon that has opened the GPU) keeps its records, which cost the
// run nothing.
constexpr bool LaunchesEnough(int64_t launches, int64_t most) { return launches >= most / 100; }

// True for a window in which launches were counted but GPU work was not recorded.
bool IsGap(const LevelWindow& window);

// Returns the windows of the processes that launch enough; all windows if none of these has a gap.
std::vector<LevelWindow> OfLaunching(std::span<const LevelWindow> windows);

// How many launches within a time range have records, and how much of the time.
struct RecordsMade {
  int64_t launches = 0, traced_launches = 0;
  int64_t traced_ns = 0, counted_ns = 0;  // windows with records, and without
  bool operator==(const RecordsMade&) const = default;
};

// Sets the counters gpu_level_... of a profile; sets none if GPU work was recorded all the time.
void DescribeRecords(const RecordsMade& made, std::map<std::string, int64_t>& quality);

// Adds the part of a window that lies in [begin, end), and the same share of its launches.
void AddWindow(const LevelWindow& window, HostNs begin, HostNs end, RecordsMade& made);

}  // namespace gprofx
