#include "core/forecast/run_levels.h"

#include <algorithm>
#include <map>

#include "core/levels/backward.h"

namespace gprofx::forecast {
namespace {

std::vector<PhaseOperation> OperationsOf(const ReplayEvents& events) {
  std::vector<PhaseOperation> out;
  out.reserve(events.operations.size());
  for (const ReplayOperation& from : events.operations)
    out.push_back(
        {from.launch, from.start, from.end, from.thread, from.node, from.stream, from.bytes});
  return out;
}

}  // namespace

RunLevels::RunLevels(const Profile& profile, const ReplayEvents& events,
                     std::span<const LevelWindow> windows)
    : profile_(profile), levels_(FindLevels(profile)) {
  if (levels_.layers.empty()) return;
  const std::vector<PhaseOperation> operations = OperationsOf(events);
  shares_ = LayerShares(levels_, operations, LayerPaths(profile, levels_, operations, windows));
}

std::vector<RunLevel> RunLevels::Of(const RecordedForecast& forecast, Level level) const {
  std::vector<NodeTime> now, then;
  for (const RunNode& node : forecast.nodes) {
    now.push_back({node.node, node.now_ns});
    then.push_back({node.node, node.then_ns});
  }
  const int64_t steps = std::max<int64_t>(forecast.steps, 1);
  std::map<uint32_t, RunLevel> rows;
  for (const LevelSum& sum : SumTimes(profile_, levels_, level, shares_, now))
    rows[sum.key].now_ns = sum.gpu_ns / steps;
  for (const LevelSum& sum : SumTimes(profile_, levels_, level, shares_, then))
    rows[sum.key].then_ns = sum.gpu_ns / steps;
  if (rows.empty() || rows.rbegin()->first == 0) return {};
  std::vector<RunLevel> out;
  for (auto& [key, row] : rows) {
    row.name = KeyName(profile_, levels_, level, key);
    out.push_back(std::move(row));
  }
  std::stable_sort(out.begin(), out.end(), [](const RunLevel& a, const RunLevel& b) {
    return std::make_pair(a.name.empty(), -a.then_ns) < std::make_pair(b.name.empty(), -b.then_ns);
  });
  return out;
}

}  // namespace gprofx::forecast
