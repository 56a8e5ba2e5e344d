#include "core/views/gpu/level_rows.h"

#include <utility>

#include "core/base/arithmetic.h"
#include "core/views/naming/seen_as.h"

namespace gprofx {

std::optional<Level> LevelOf(RowsBy by) {
  switch (by) {
    case RowsBy::kLayer:
    case RowsBy::kLayerType:
      return Level::kLayer;
    case RowsBy::kOperator:
      return Level::kOperator;
    case RowsBy::kLibrary:
      return Level::kLibrary;
    default:
      return std::nullopt;
  }
}

LevelTable LevelRows(const Profile& profile, const Kept& kept, RowsBy by,
                     std::span<const LayerShare> shares) {
  const Level level = LevelOf(by).value_or(Level::kLayer);
  const bool by_type = by == RowsBy::kLayerType;
  const Levels levels = by_type ? FoldTypes(FindLevels(profile)) : FindLevels(profile);
  const std::vector<SeenAs::Lines> seen = SeenAsLines(profile, profile.nodes);
  LevelTable table;
  table.level = level;
  table.by_type = by_type;
  table.whole = GpuTime(profile);
  for (LevelSum& sum : SumByLevel(profile, levels, level, shares, kept)) {
    LevelRow row;
    row.name = KeyName(profile, levels, level, sum.key);
    if (sum.heaviest) row.seen_as = seen[sum.heaviest.index()].best();
    if (level == Level::kLayer && sum.key != 0) {
      row.type = levels.layer(sum.key).type;
      if (const FrameId site = levels.layer(sum.key).site; site && !by_type) row.seen_as = site;
    }
    row.sum = sum;
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace gprofx
