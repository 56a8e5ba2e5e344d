// The CPU side of gprof-x top: samples of an interval to rows of functions and lines.
//
// self: Python's rows have the time of all stacks in which they are the innermost Python, so with
// the native code that they call; native rows have the time in which their code ran. total: of all
// stacks that they are in, counted once where they call themselves. With a focus only stacks count
// that have a frame whose name or place contains it, in any case of letters. Method: weights go up
// the part of the tree that has any, once; a walk down knows what is on the way. Linear in that
// part. Pure; one thread; sums since the start are kept by key.
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

// In any case of (ASCII) letters. An empty part is in everything.
bool ContainsText(std::string_view text, std::string_view part);

class CpuWindow {
 public:
  // What is of profiling is counted and in no row. The profile must outlive the window and only
  // grow.
  void Take(const Profile& profile, std::span<const SampleRow> rows);

  // The interval is over, and the next one begins.
  void Close(const Profile& profile, FrameKeyTable& keys);
  // Fills what is of the CPU in `snapshot`, whose `focus` is used, with the interval that was
  // closed last: again where names have come. Returns the native frames without a name.
  std::vector<FrameId> Build(const Profile& profile, FrameKeyTable& keys, Snapshot& snapshot) const;

 private:
  struct Interval {
    std::unordered_map<uint32_t, int64_t> weights;  // by NodeId
    std::unordered_set<uint32_t> threads;
    int64_t samples = 0, gil_ns = 0, idle_ns = 0, profiling_ns = 0;
  };

  std::optional<ProfilingStacks> profiling_;  // needs the profile
  Interval open_, closed_;
  std::unordered_map<uint32_t, int64_t> before_;  // self by key, before closed_
};

}  // namespace gprofx
