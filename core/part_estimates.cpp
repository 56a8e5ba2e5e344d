#include "core/part_estimates.h"

#include <algorithm>
#include <tuple>

#include "core/inherit.h"

namespace gprofx {

PartEstimates::PartEstimates(const Profile& profile, TimeRange range,
                             std::span<const LevelWindow> windows)
    : profile_(profile),
      range_(range),
      gaps_(profile.processes.size() + 1),
      is_path_(profile.nodes.size()) {
  for (const LevelWindow& window : windows) {
    if (!window.traced) gaps_[window.process.value].Begin(window.begin);
  }
}

uint32_t PartEstimates::WindowOf(ThreadId thread, HostNs time) const {
  return gaps_[profile_.thread(thread).process.value].Before(time);
}

void PartEstimates::AddLaunch(const PhaseLaunch& launch) {
  if (!IsIn(launch.time) || !launch.thread || !launch.node) return;
  has_launches_ = true;
  is_path_[launch.node.index()] = true;
  launches_.AddLaunch(launch.node, launch.thread, WindowOf(launch.thread, launch.time));
}

// Each launch once, however much work it made.
void PartEstimates::AddTraced(std::span<const PhaseOperation> operations,
                              std::span<const NodeId> path_of, GpuEstimates& part,
                              GpuEstimates& elsewhere) const {
  std::vector<std::tuple<HostNs, ThreadId, NodeId>> traced;
  traced.reserve(operations.size());
  for (const PhaseOperation& operation : operations) {
    if (operation.launch <= 0 || !operation.thread || !operation.node) continue;
    const NodeId path = path_of[operation.node.index()];
    if (path) traced.emplace_back(operation.launch, operation.thread, path);
  }
  std::sort(traced.begin(), traced.end());
  traced.erase(std::unique(traced.begin(), traced.end()), traced.end());
  for (const auto& [launch, thread, path] : traced) {
    (IsIn(launch) ? part : elsewhere).AddTraced(path, thread, WindowOf(thread, launch));
  }
}

void PartEstimates::AddWork(const PhaseOperation& operation, NodeId path, GpuEstimates& part,
                            GpuEstimates& elsewhere) const {
  const HostNs launched = operation.launch > 0 ? operation.launch : operation.start;
  GpuEstimates::Run run = {operation.node, path, profile_.node(operation.node).frame,
                           operation.thread, WindowOf(operation.thread, launched), 0};
  if (!IsIn(launched)) {
    run.ns = operation.end - operation.start;
    elsewhere.AddWork(run);
  }
  run.ns = std::min(operation.end, range_.end) - std::max(operation.start, range_.begin);
  run.runs = IsIn(operation.start) ? 1 : 0;
  if (run.ns > 0 || run.runs != 0) part.AddWork(run);
}

std::vector<GpuEstimates::Row> PartEstimates::Rows(
    std::span<const PhaseOperation> operations) const {
  // Between a launch and its work may lie where a graph was captured.
  uint32_t node = 0;
  const std::vector<NodeId> path_of =
      InheritDown<NodeId>(profile_.nodes, [&](NodeId above, FrameId) {
        ++node;
        return is_path_[node - 1] ? NodeId{node} : above;
      });
  GpuEstimates part = launches_, elsewhere;
  AddTraced(operations, path_of, part, elsewhere);
  if (!part.any_traced()) return {};
  for (const PhaseOperation& operation : operations) {
    if (operation.node && operation.thread)
      AddWork(operation, path_of[operation.node.index()], part, elsewhere);
  }
  return part.Rows(&elsewhere);
}

}  // namespace gprofx
