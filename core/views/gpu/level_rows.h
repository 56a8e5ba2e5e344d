// Builds the rows of report --by: GPU time by layer, operator or library (core/levels).
//
// The sum of gpu_ns over all rows is exactly the GPU time that the filters keep. The last row holds
// time that belongs to no layer (operator, library). Pure.
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
  LevelSum sum;      // key 0: time that belongs to no layer, operator or library
  std::string name;  // "Linear_3", "addmm", or the path of a library; "" for key 0
  std::string type;  // class of a layer
  FrameId seen_as;   // the user's line with most of its time; for a layer, its calling line
};

struct LevelTable {
  Level level = Level::kLayer;
  bool by_type = false;  // layers of one class are merged
  std::vector<LevelRow> rows;
  size_t shown = 0;
  Rest rest;          // sum of gpu_ns
  int64_t whole = 0;  // sum of gpu_ns regardless of filters
};

// Returns the level that a grouping shows; unset if it shows functions, lines or the like.
std::optional<Level> LevelOf(RowsBy by);

LevelTable LevelRows(const Profile& profile, const Kept& kept, RowsBy by,
                     std::span<const LayerShare> shares);

}  // namespace gprofx
