// The CPU side of gprof-x top: turns the samples of an interval into rows of functions and lines.
//
// Each row has two times:
// - self: for a Python row, the time of all stacks whose innermost Python frame is in the row,
//   including native code called from it; for a native row, the time in which its code ran.
// - total: the time of all stacks that contain the row, counted once for recursive calls.
//
// With a focus (Snapshot::focus), only stacks count that have a frame whose name or file contains
// the focus, ignoring case.
//
// Method: selects the nodes of the call tree that have samples in or below them, then walks them
// once, depth first, and counts the keys (frame_keys.h) on the current path. Linear in the number
// of selected nodes. Sums since the start are kept by key. Pure; one thread.
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

// True if `text` contains `part`, ignoring case (ASCII). Every text contains an empty `part`.
bool ContainsText(std::string_view text, std::string_view part);

class CpuWindow {
 public:
  // Adds samples to the open interval. Samples of the profiler itself count in
  // Snapshot::profiling_ns and appear in no row. The profile must outlive the window and only grow.
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
