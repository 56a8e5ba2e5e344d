// The CPU side of gprof-x top: turns the samples of an interval into rows of functions and lines.
//
// self: a Python row has the time of all stacks in which it is the innermost Python frame,
// including the native code that it calls. A native row has the time in which its code ran. total:
// the time of all stacks that contain the row, counted once for recursive calls. With a focus, only
// stacks count that have a frame whose name or place contains it, ignoring case. Method: one pass
// adds weights upward in the part of the tree that has any; one walk down keeps track of what is on
// the path. Linear in that part. Pure; one thread; sums since the start are kept by key.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cli/top/frame_keys.h"
#include "cli/top/snapshot.h"
#include "core/cost/profiling_time.h"
#include "core/model/profile.h"

namespace gprofx {

// Ignores case (ASCII). An empty `part` is contained in everything.
bool ContainsText(std::string_view text, std::string_view part);

class CpuWindow {
 public:
  // Samples of the profiler itself are counted but appear in no row. The profile must outlive the
  // window and only grow.
  void Take(const Profile& profile, std::span<const SampleRow> rows);

  // Ends the interval and begins the next.
  void Close(const Profile& profile, FrameKeyTable& keys);
  // Fills the CPU fields of `snapshot` from the last closed interval, using snapshot.focus. Call
  // again after names arrive. Returns the native frames without a name.
  std::vector<FrameId> Build(const Profile& profile, FrameKeyTable& keys, Snapshot& snapshot) const;

 private:
  struct Interval {
    std::unordered_map<uint32_t, int64_t> weights;  // by NodeId
    std::unordered_set<uint32_t> threads;
    int64_t samples = 0, gil_ns = 0, idle_ns = 0, profiling_ns = 0;
  };

  std::optional<ProfilingStacks> profiling_;  // initialized when the profile is known
  Interval open_, closed_;
  std::unordered_map<uint32_t, int64_t> before_;  // key -> self time before closed_
};

}  // namespace gprofx
