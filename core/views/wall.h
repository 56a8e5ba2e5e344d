// Prepares the wall time of a run with a GPU for printing. The rows of the table wall_part become
// named busy and idle parts, with shares that add up.
//
// Time without records of GPU work is unknown and in no part. Shares are relative to the recorded
// time, which is taken to represent the whole.
//
// Invariants: the tenths of a percent of all parts add up to 1000 (largest remainder method), and
// the tenths of busy and idle time are the sums of their parts. Values in a file may be anything.
// Negative ones count as 0, and sums saturate at the limits of int64_t. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/gpu_numbers.h"
#include "core/model/profile.h"

namespace gprofx {

struct WallShare {
  std::string what;  // "compute", "in cuStreamSynchronize", ...; unescaped
  int64_t ns = 0;
  int tenths = 0;  // tenths of a percent of the whole
  // As in WallPart. For a sum of parts, it is the sum of their margins, which is an upper bound.
  int64_t margin_ns = 0;
};

struct WallShares {
  int64_t total_ns = 0;   // sum of all parts; 0: the profile has no partition
  int64_t unseen_ns = 0;  // time without records; not in total_ns
  WallShare busy, idle;
  std::vector<WallShare> busy_parts;  // compute, communication, copy
  std::vector<WallShare> idle_parts;  // largest first, unexplained last

  int64_t WholeNs() const;  // includes the time without records; 0 = wall time unknown
};

// Returns the words for an idle part named as in core/gpu/gpu.h: "data loading" for
// "idle.data_loading". All words for idle parts come from here.
std::string IdleCause(const std::string& part);

WallShares ShareWall(const Profile& profile);
WallShares ShareWall(const std::vector<WallPart>& parts);
// Returns the largest of idle_parts; the first one if several are equal; nullptr if nothing was
// idle.
const WallShare* LargestIdle(const WallShares& shares);

// The shares of one process on one GPU. Communication that overlaps with compute work is in none of
// the parts.
struct LaneShares {
  uint32_t gpu = 0;  // as in nvidia-smi; unknown GPUs get the highest number
  bool gpu_known = false;
  std::string process;  // "train.py", without its rank; unescaped
  int32_t rank = -1;    // -1 = unknown
  int64_t pid = 0;
  WallShares shares;
  int hidden_tenths = 0;  // communication overlapped by compute work, relative to the total
};
// Returns the lanes sorted by GPU, then by order in the profile. Empty for profiles older than
// schema 1.2.
std::vector<LaneShares> ShareLanes(const Profile& profile);

// Returns the communication time of a lane that does not overlap with compute work.
int64_t ExposedCommunication(const WallLane& lane);

}  // namespace gprofx
