#include "core/views/code/code_view.h"

#include <algorithm>
#include <vector>

#include "core/base/arithmetic.h"
#include "core/model/inherit.h"
#include "core/views/call_tree.h"
#include "core/views/row_number.h"
#include "core/views/view.h"

namespace gprofx {
namespace {

// Returns a flag for each node: a Python frame is at the node or above it.
std::vector<uint8_t> HasPython(const Profile& profile) {
  return InheritDown<uint8_t>(profile.nodes, [&](uint8_t above, FrameId frame) -> uint8_t {
    return above != 0 || (frame && profile.frame(frame).kind == FrameKind::kPython) ? 1 : 0;
  });
}

bool IsMostlyPython(const Profile& profile) {
  const Result<MetricId> clock = ChooseMetric(profile, "");
  if (!clock || !*clock) return false;
  const std::vector<uint8_t> has_python = HasPython(profile);
  int64_t python = 0, other = 0;
  for (const Value& value : profile.values) {
    if (value.metric != *clock) continue;
    const bool here = value.node && has_python[value.node.index()] != 0;
    int64_t& sum = here ? python : other;
    sum = AddSaturated(sum, value.self);
  }
  return python > 0 && python >= other;
}

bool AnyPython(const Profile& profile) {
  return std::any_of(profile.frames.begin(), profile.frames.end(),
                     [](const Frame& frame) { return frame.kind == FrameKind::kPython; });
}

bool IsTableOfCode(const Query& query) {
  switch (query.kind) {
    case ViewKind::kTop:
    case ViewKind::kRanks:
      return query.by == RowsBy::kDefault || query.by == RowsBy::kFunction ||
             query.by == RowsBy::kLine;
    case ViewKind::kLines:
      return true;
    case ViewKind::kCallers:
      return ParseRowNumber(query.callers_of).has_value();
    default:
      return false;
  }
}

bool CountsGpu(const Profile& profile, const Query& query) {
  const MetricId asked = query.metric.empty() ? MetricId{} : profile.FindMetric(query.metric);
  return asked && IsGpuMetric(profile.metrics[asked.index()]);
}

}  // namespace

CodeView ChooseCode(const Profile& profile, const Query& query) {
  if (query.code) return *query.code;
  if (query.own) return AnyPython(profile) ? CodeView::kPython : CodeView::kMixed;
  if (query.all_frames || !IsTableOfCode(query) || CountsGpu(profile, query))
    return CodeView::kMixed;
  return IsMostlyPython(profile) ? CodeView::kPython : CodeView::kMixed;
}

}  // namespace gprofx
