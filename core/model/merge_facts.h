// Merges what is stored once per recording: counters, facts, the partition of the wall time. Used
// by core/model/merge.cpp only. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/gpu/gpu.h"

namespace gprofx {

// True if the counter is a maximum, a percentile or the like, and not a sum.
bool HoldsLargest(const std::string& counter);

// Adds up counters; where HoldsLargest(), keeps the larger value.
void JoinCounters(std::map<std::string, int64_t>& into, const std::map<std::string, int64_t>& from);

// Keeps only entries that are equal in both.
void KeepShared(std::map<std::string, std::string>& into,
                const std::map<std::string, std::string>& from);

// Adds up parts of equal name and sorts the result in the order of core/gpu/gpu.h.
void AddWall(std::vector<WallPart>& into, const std::vector<WallPart>& from);

}  // namespace gprofx
