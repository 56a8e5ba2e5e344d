// GPU time by layer, operator or library: the rows of report --by (core/levels).
//
// The sum of gpu_ns over all rows is the GPU time that the filters keep, to the nanosecond: what
// lies in no layer (operator, library) is the last row. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/levels/level_sums.h"
#include "core/views/call_tree.h"
#include "core/views/query.h"
#include "core/views/rest.h"

namespace gprofx {

struct LevelRow {
  LevelSum sum;      // key 0: what has no place at this level
  std::string name;  // "Linear_3", "addmm", the path of a library; "" of key 0
  std::string type;  // of a layer
  FrameId seen_as;   // the user's line with most of its time; of a layer, the line that calls it
};

struct LevelTable {
  Level level = Level::kLayer;
  bool by_type = false;  // layers of a class are one
  std::vector<LevelRow> rows;
  size_t shown = 0;
  Rest rest;          // of gpu_ns
  int64_t whole = 0;  // whatever the filters keep
};

// Nothing for groupings that are none of levels.
std::optional<Level> LevelOf(RowsBy by);

LevelTable LevelRows(const Profile& profile, const Kept& kept, RowsBy by,
                     std::span<const LayerShare> shares);

}  // namespace gprofx
