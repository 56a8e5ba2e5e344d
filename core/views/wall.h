// Where the wall time of a run with a GPU went, ready to print: the rows of table wall_part as
// named busy and idle parts, with shares that add up.
//
// Time without records of GPU work is unknown: it is in no part. Shares are relative to the
// recorded time, which is taken to represent the whole.
//
// Invariants: the tenths of a percent of all parts add up to 1000 (largest remainder method), and
// those of busy and idle are the sums of their parts. Values in a file may be anything: negative
// ones count as 0, and sums saturate at the limits of int64_t. Pure.
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
  int tenths = 0;         // tenths of a percent of the whole
  int64_t margin_ns = 0;  // as in WallPart; for a sum of parts, their sum: an upper bound
};

struct WallShares {
  int64_t total_ns = 0;   // of all parts; 0: the profile has no partition, no parts
  int64_t unseen_ns = 0;  // time without records; not in total_ns
  WallShare busy, idle;
  std::vector<WallShare> busy_parts;  // compute, communication, copy
  std::vector<WallShare> idle_parts;  // largest first, unexplained last

  int64_t WholeNs() const;  // with and without records; 0: wall time unknown
};

// Converts a name of core/gpu/gpu.h to words: "idle.data_loading" -> "data loading". Only this
// function makes the words of idle parts.
std::string IdleCause(const std::string& part);

WallShares ShareWall(const Profile& profile);
WallShares ShareWall(const std::vector<WallPart>& parts);
// Returns the largest of idle_parts, the first if several are equal; nullptr if nothing was idle.
const WallShare* LargestIdle(const WallShares& shares);

// One process on one GPU. The communication in its parts is only what no computation overlaps.
struct LaneShares {
  uint32_t gpu = 0;  // number by PCI bus, as in nvidia-smi; unknown GPUs are last
  bool gpu_known = false;
  std::string process;  // "train.py", without its rank; unescaped
  int32_t rank = -1;    // -1 = unknown
  int64_t pid = 0;
  WallShares shares;
  int hidden_tenths = 0;  // communication that overlaps computing; in no part
};
// Sorted by GPU, then process. Empty for profiles older than schema 1.2.
std::vector<LaneShares> ShareLanes(const Profile& profile);

// Returns the communication time of a lane that no computation overlaps.
int64_t ExposedCommunication(const WallLane& lane);

}  // namespace gprofx
