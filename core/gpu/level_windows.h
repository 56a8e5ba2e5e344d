// For which parts of a process's time records of GPU work were made: windows with and without them
// alternate. Pure; one thread.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/model/ids.h"

namespace gprofx {

// As a waiting call of the wall time (core/wall/wall_partition.h): neither busy nor idle can be
// said.
inline constexpr char kNoRecords[] = "time without records";
// The part of the wall time that it makes (core/gpu/gpu.h, WallPart).
inline constexpr char kUnseenPart[] = "idle.sync.time without records";

struct LevelWindow {
  HostNs begin = 0, end = 0;
  int64_t launches = 0;
  bool recording = false;  // anything at all
  bool traced = false;     // records of GPU work
  ProcessId process;       // where windows of several stand together
};

// The times without records of one process.
class Gaps {
 public:
  Gaps() = default;
  explicit Gaps(std::vector<HostNs> begins);              // in any order
  void Begin(HostNs begin) { begins_.push_back(begin); }  // in order
  bool empty() const { return begins_.empty(); }
  uint32_t Before(HostNs time) const;  // how many had begun

 private:
  std::vector<HostNs> begins_;
};

class LevelWindows {
 public:
  // A window, wholly at its level, begins and ends. `launches`: seen so far. In the order of time.
  void Begin(HostNs begin, bool recording, bool traced, int64_t launches);
  // nullptr: none is open.
  const LevelWindow* End(HostNs end, int64_t launches);
  const std::vector<LevelWindow>& windows() const { return windows_; }
  // Does a part of [start, end) lie in a window without records, also in one that is open?
  bool AnyUntraced(HostNs start, HostNs end) const;
  const Gaps& gaps() const { return gaps_; }

 private:
  std::vector<LevelWindow> windows_;
  Gaps gaps_;
  int64_t launches_ = 0;  // at the begin of the latest
  bool open_ = false;
};

// Does the level of a process count, where another one made `most` launches? One that hardly
// launches (a daemon that has opened the GPU) keeps its records, which cost the run nothing.
constexpr bool LaunchesEnough(int64_t launches, int64_t most) { return launches >= most / 100; }

// A time without records of what was launched in it.
bool IsGap(const LevelWindow& window);

// Those of the processes that launch enough; all where only others have gaps, or none has.
std::vector<LevelWindow> OfLaunching(std::span<const LevelWindow> windows);

// What of the launches in a part of the time there are records of.
struct RecordsMade {
  int64_t launches = 0, traced_launches = 0;
  int64_t traced_ns = 0, counted_ns = 0;  // windows with records, and without
  bool operator==(const RecordsMade&) const = default;
};

// The counters of a profile, gpu_level_...; there are none where records were made all the time.
void DescribeRecords(const RecordsMade& made, std::map<std::string, int64_t>& quality);

// Adds what of a window lies in [begin, end); of its launches the same share.
void AddWindow(const LevelWindow& window, HostNs begin, HostNs end, RecordsMade& made);

}  // namespace gprofx
