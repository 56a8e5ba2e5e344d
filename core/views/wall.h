// Where the wall time of a run with a GPU went, ready to print: the rows of table wall_part as busy
// and idle parts in words, with shares that add up.
//
// What happened in time without records of GPU work nobody knows: it is in no part, and shares are
// those of the rest, which stands for it.
//
// Invariants: the tenths of a percent of all parts are 1000 together (largest remainder), those of
// busy and idle are the sums of their parts. The values of a file may be anything: negative ones
// count as 0, sums stop at the limits of int64_t. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

struct WallShare {
  std::string what;  // "compute", "in cuStreamSynchronize", ...; unescaped
  int64_t ns = 0;
  int tenths = 0;         // of a percent of the whole
  int64_t margin_ns = 0;  // as in WallPart; of several parts the sum, which is no less
};

struct WallShares {
  int64_t total_ns = 0;   // of all parts; 0: the profile has no partition, and they are empty
  int64_t unseen_ns = 0;  // without records, beside it
  WallShare busy, idle;
  std::vector<WallShare> busy_parts;  // compute, communication, copy
  std::vector<WallShare> idle_parts;  // largest first, unexplained last

  int64_t WholeNs() const;  // with and without records; 0: nothing is known of the wall time
};

// "idle.data_loading", a name of core/gpu/gpu.h, in words: "data loading". Words of an idle part
// are made here alone.
std::string IdleCause(const std::string& part);

WallShares ShareWall(const Profile& profile);
WallShares ShareWall(const std::vector<WallPart>& parts);
// The part of idle_parts with most of the time, of equal ones the first; nullptr = nothing was
// idle.
const WallShare* LargestIdle(const WallShares& shares);

// One process on one GPU. Communication of the parts is what no computing hides.
struct LaneShares {
  uint32_t gpu = 0;  // number by PCI bus, as nvidia-smi counts; those without are last
  bool gpu_known = false;
  std::string process;  // "train.py", without its rank; unescaped
  int32_t rank = -1;    // -1 = unknown
  int64_t pid = 0;
  WallShares shares;
  int hidden_tenths = 0;  // communication beside computing, of the whole; in no part
};
// By GPU, then process. Empty for profiles of before schema 1.2.
std::vector<LaneShares> ShareLanes(const Profile& profile);

// Communication of a lane that no computing hides.
int64_t ExposedCommunication(const WallLane& lane);

// Row of gpu_device (ids from 1) -> the number that people know.
std::vector<uint32_t> GpuNumbers(const Profile& profile);

}  // namespace gprofx
