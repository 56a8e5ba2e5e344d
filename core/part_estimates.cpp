#include "core/part_estimates.h"

#include <algorithm>
#include <tuple>

#include "core/launch_paths.h"
#include "core/step_finders.h"

namespace gprofx {
PartEstimates::PartEstimates(const Profile& profile, TimeRange range,
                             std::span<const LevelWindow> windows)
    : profile_(profile), range_(range) {
  std::vector<std::vector<HostNs>> gaps(profile.processes.size() + 1);
  for (const LevelWindow& window : windows) {
    if (!window.traced) gaps[window.process.value].push_back(window.begin);
  }
  for (std::vector<HostNs>& begins : gaps) gaps_.emplace_back(std::move(begins));
}

void PartEstimates::AddLaunch(const PhaseLaunch& launch) {
  if (!IsIn(launch.time) || !launch.thread || !launch.node) return;
  const ProcessId process = profile_.thread(launch.thread).process;
  launches_.AddLaunch(launch.node, process, WindowOf(process, launch.time));
}

// Each launch once, however much work it made.
void PartEstimates::AddTraced(std::span<const PhaseOperation> operations,
                              std::span<const NodeId> path_of, GpuEstimates& part,
                              GpuEstimates& elsewhere) const {
  std::vector<std::tuple<HostNs, ThreadId, NodeId>> traced;
  traced.reserve(operations.size());
  for (const PhaseOperation& operation : operations) {
    if (operation.launch <= 0 || !operation.thread || !operation.node) continue;
    traced.emplace_back(operation.launch, operation.thread, path_of[operation.node.index()]);
  }
  std::sort(traced.begin(), traced.end());
  traced.erase(std::unique(traced.begin(), traced.end()), traced.end());
  for (const auto& [launch, thread, path] : traced) {
    const ProcessId process = profile_.thread(thread).process;
    (IsIn(launch) ? part : elsewhere).AddTraced(path, process, WindowOf(process, launch));
  }
}

void PartEstimates::AddWork(const PhaseOperation& operation, NodeId path, GpuEstimates& part,
                            GpuEstimates& elsewhere) const {
  const ProcessId process = profile_.thread(operation.thread).process;
  const GpuEstimates::Place place = {operation.node, path, profile_.node(operation.node).frame,
                                     operation.thread, process};
  const int64_t inside =
      std::min(operation.end, range_.end) - std::max(operation.start, range_.begin);
  const bool begins = IsIn(operation.start);
  if (begins || inside > 0) part.AddSeen(place, std::max<int64_t>(inside, 0), begins ? 1 : 0);
  if (operation.launch <= 0) return;
  const uint32_t window = WindowOf(process, operation.launch);
  const int64_t ns = operation.end - operation.start;
  if (IsIn(operation.launch)) {
    part.AddSample(place, window, ns);
  } else if (part.NeedsSamples(path, process)) {
    elsewhere.AddSample(place, window, ns);
  }
}

std::vector<GpuEstimates::Row> PartEstimates::Rows(
    std::span<const PhaseOperation> operations) const {
  const std::vector<NodeId> path_of = LaunchPaths(profile_);
  GpuEstimates part = launches_, elsewhere;
  AddTraced(operations, path_of, part, elsewhere);
  const bool any = part.any_traced();
  for (const PhaseOperation& operation : operations) {
    if (operation.node && operation.thread)
      AddWork(operation, path_of[operation.node.index()], part, elsewhere);
  }
  return part.Rows(any ? &elsewhere : nullptr);
}

}  // namespace gprofx
