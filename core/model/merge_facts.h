// Merges what a profile stores once per recording: counters, meta entries, the partition of the
// wall time. Used by core/model/merge.cpp only. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/gpu/gpu.h"

namespace gprofx {

// True if the merged counter is the larger of the two values and not their sum, as for maxima and
// percentiles.
bool HoldsLargest(const std::string& counter);

// Adds each counter of `from` to `into`; keeps the larger value if HoldsLargest() is true for it.
void JoinCounters(std::map<std::string, int64_t>& into, const std::map<std::string, int64_t>& from);

// Removes the entries of `into` that `from` does not have or has with another value.
void KeepShared(std::map<std::string, std::string>& into,
                const std::map<std::string, std::string>& from);

// Adds the parts of `from` to the parts of `into` with the same names and sorts `into` in the order
// of core/gpu/gpu.h.
void AddWall(std::vector<WallPart>& into, const std::vector<WallPart>& from);

}  // namespace gprofx
