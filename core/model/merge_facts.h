// What is said of whole recordings, made one: counters, facts, the partition of the wall time. Used
// by core/model/merge.cpp only. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/gpu/gpu.h"

namespace gprofx {

// Is this counter no sum, but the largest or the usual of what it counts?
bool HoldsLargest(const std::string& counter);

// Counters add up; of percentiles and longest times the largest stays.
void JoinCounters(std::map<std::string, int64_t>& into, const std::map<std::string, int64_t>& from);

// Keeps what both say.
void KeepShared(std::map<std::string, std::string>& into,
                const std::map<std::string, std::string>& from);

// Parts of one name add up; afterwards they are in the order of core/gpu/gpu.h.
void AddWall(std::vector<WallPart>& into, const std::vector<WallPart>& from);

}  // namespace gprofx
