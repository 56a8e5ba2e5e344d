#include "core/views/gpu/idle_causes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/base/quantile.h"

namespace gprofx {
namespace {

void Compare(IdleCauseRow& row) {
  row.least = *std::min_element(row.tenths.begin(), row.tenths.end());
  row.most = *std::max_element(row.tenths.begin(), row.tenths.end());
  row.median = Median(std::vector<double>(row.tenths.begin(), row.tenths.end()));
  double furthest = 0;
  for (size_t i = 0; i < row.tenths.size(); ++i) {
    const double off = std::abs(row.tenths[i] - row.median);
    if (off <= furthest) continue;
    furthest = off;
    row.most_off = i;
  }
}

}  // namespace

std::vector<IdleCauseRow> CompareIdleCauses(const std::vector<LaneShares>& lanes) {
  if (lanes.size() < 2) return {};
  std::map<std::string, std::vector<int>> by_cause;
  for (size_t i = 0; i < lanes.size(); ++i) {
    for (const WallShare& part : lanes[i].shares.idle_parts) {
      std::vector<int>& tenths = by_cause[part.what];
      tenths.resize(lanes.size());
      tenths[i] += part.tenths;
    }
  }
  std::vector<IdleCauseRow> rows;
  for (auto& [what, tenths] : by_cause) {
    IdleCauseRow row{what, std::move(tenths), 0, 0, 0, std::nullopt};
    Compare(row);
    if (row.most > 0) rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const IdleCauseRow& a, const IdleCauseRow& b) {
    return std::pair(b.most - b.least, b.most) < std::pair(a.most - a.least, a.most);
  });
  return rows;
}

}  // namespace gprofx
