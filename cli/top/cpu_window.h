// Implements the CPU side of gprof-x top: turns the samples of an interval into rows of functions
// and lines.
//
// Each row has two times:
//  - self: for a Python row, the time of all stacks whose innermost Python frame is in the row,
//    including native code that it called; for a native row, the time in which its own code ran.
//  - total: the time of all stacks that contain the row. Recursive calls count once.
//
// With a focus (Snapshot::focus), only those stacks count in which the name or the file of a frame
// contains the focus, ignoring case.
//
// Method: select the nodes of the call tree that have samples in or below them. Visit them once,
// depth first, and count the keys (frame_keys.h) on the current path. Linear in the number of
// selected nodes. Sums since the start are kept by key. Pure; one thread.
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

// True if `text` contains `part`, ignoring case (ASCII). An empty `part` is contained in every
// text.
bool ContainsText(std::string_view text, std::string_view part);

class CpuWindow {
 public:
  // Adds samples to the open interval. Samples of the profiler itself count in
  // Snapshot::profiling_ns and are in no row. The profile must outlive this object and may only
  // grow.
  void Take(const Profile& profile, std::span<const SampleRow> rows);

  // Closes the open interval and begins the next one.
  void Close(const Profile& profile, FrameKeyTable& keys);
  // Sets the CPU fields of `snapshot` from the interval that was closed last. Uses snapshot.focus.
  // May be called again when more names have arrived. Returns the native frames that have no name
  // yet.
  std::vector<FrameId> Build(const Profile& profile, FrameKeyTable& keys, Snapshot& snapshot) const;

 private:
  struct Interval {
    std::unordered_map<uint32_t, int64_t> weights;  // by NodeId
    std::unordered_set<uint32_t> threads;
    int64_t samples = 0, gil_ns = 0, idle_ns = 0, profiling_ns = 0;
  };

  std::optional<ProfilingStacks> profiling_;  // set as soon as the profile is known
  Interval open_, closed_;
  std::unordered_map<uint32_t, int64_t> before_;  // by key: self time before the closed interval
};

}  // namespace gprofx
