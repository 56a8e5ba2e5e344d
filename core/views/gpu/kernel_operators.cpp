#include "core/views/gpu/kernel_operators.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/base/arithmetic.h"
#include "core/levels/levels.h"

namespace gprofx {
namespace {

constexpr size_t kFewRows = 4, kFewLines = 2;

// Returns the key that all kernels and copies of a row share: name and kind.
uint64_t KeyOf(const Profile& profile, FrameId id) {
  const Frame& frame = profile.frame(id);
  const uint32_t name = frame.function ? profile.function(frame.function).name.value : 0;
  return uint64_t{name} << 32 | static_cast<uint64_t>(frame.kind);
}

bool LinesTellApart(const GpuTable& table) {
  std::set<FrameId> lines;
  for (size_t i = 0; i < table.shown; ++i) lines.insert(table.rows[i].seen_as);
  return table.shown < kFewRows || lines.size() > kFewLines;
}

struct Operator {
  uint32_t id = 0;  // in Levels::operators; 0 = none
  bool is_backward = false;
  auto operator<=>(const Operator&) const = default;
};

std::string NameOf(const Levels& levels, const Operator& of) {
  if (of.id == 0) return "";
  const std::string& name = levels.op(of.id);
  const bool says_so = !of.is_backward || name.find("backward") != std::string::npos;
  return says_so ? name : name + " backward";
}

using Sums = std::vector<std::vector<std::pair<Operator, int64_t>>>;  // by row

Sums SumByOperator(const Profile& profile, const Levels& levels, const Kept& kept,
                   const GpuTable& table) {
  std::unordered_map<uint64_t, size_t> row_of;
  for (size_t i = 0; i < table.shown; ++i) {
    if (table.rows[i].frame) row_of.try_emplace(KeyOf(profile, table.rows[i].frame), i);
  }
  const MetricId time = profile.FindMetric(table.estimated ? kMetricGpuEstimated : kMetricGpu);
  Sums sums(table.shown);
  for (const Value& value : profile.values) {
    if (value.metric != time || !value.node || kept[value.node.index()] == 0) continue;
    const NodeLevel& level = levels.at(value.node);
    if (!level.operation) continue;
    const auto row = row_of.find(KeyOf(profile, level.operation));
    if (row != row_of.end())
      sums[row->second].push_back({{level.op, level.op != 0 && level.is_backward}, value.self});
  }
  return sums;
}

Operator Largest(std::vector<std::pair<Operator, int64_t>> sums) {
  std::sort(sums.begin(), sums.end());
  std::pair<Operator, int64_t> largest{{}, -1};
  for (size_t begin = 0; begin < sums.size();) {
    int64_t sum = 0;
    size_t end = begin;
    for (; end < sums.size() && sums[end].first == sums[begin].first; ++end)
      sum = AddSaturated(sum, sums[end].second);
    if (sum > largest.second) largest = {sums[begin].first, sum};
    begin = end;
  }
  return largest.first;
}

}  // namespace

std::vector<std::string> OperatorsOfRows(const Profile& profile, const Kept& kept,
                                         const GpuTable& table) {
  if (LinesTellApart(table)) return {};
  const Levels levels = FindLevels(profile);
  if (levels.operators.empty()) return {};
  std::vector<std::string> names;
  for (auto& sums : SumByOperator(profile, levels, kept, table))
    names.push_back(NameOf(levels, Largest(std::move(sums))));
  const auto unknown = std::count(names.begin(), names.end(), "");
  if (2 * static_cast<size_t>(unknown) > names.size()) return {};
  return names;
}

}  // namespace gprofx
