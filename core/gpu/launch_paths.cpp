#include "core/gpu/launch_paths.h"

#include <algorithm>
#include <tuple>

#include "core/base/arithmetic.h"
#include "core/gpu/graph_captures.h"

namespace gprofx {

std::vector<NodeId> LaunchPaths(const Profile& profile) {
  std::vector<NodeId> path_of(profile.nodes.size()), of_graph(profile.nodes.size());
  for (size_t i = 0; i < profile.nodes.size(); ++i) {
    const Node& node = profile.nodes[i];
    if (!node.parent || !node.frame) continue;
    const Frame& frame = profile.frame(node.frame);
    const bool is_marker = frame.kind == FrameKind::kMarker && frame.function &&
                           profile.Text(profile.function(frame.function).name) == kCapturedAt;
    of_graph[i] = is_marker ? node.parent : of_graph[node.parent.index()];
    path_of[i] = of_graph[i] ? of_graph[i] : node.parent;
  }
  return path_of;
}

std::vector<int64_t> LaunchTimes(const Profile& profile,
                                 std::span<const PhaseOperation> operations) {
  struct Sum {
    int64_t ns = 0, launches = 0;
  };
  const std::vector<NodeId> path_of = LaunchPaths(profile);
  std::vector<Sum> paths(profile.nodes.size());
  Sum single;  // all launches outside graphs
  std::vector<std::tuple<HostNs, ThreadId, NodeId>> launches;
  for (const PhaseOperation& operation : operations) {
    if (!operation.node || operation.launch <= 0) continue;
    const NodeId path = path_of[operation.node.index()];
    if (!path) continue;
    const int64_t ns = SubtractSaturated(operation.end, operation.start);
    int64_t& sum = paths[path.index()].ns;
    sum = AddSaturated(sum, ns);
    if (path == profile.node(operation.node).parent) {
      single.ns = AddSaturated(single.ns, ns);
      ++single.launches;
    }
    launches.emplace_back(operation.launch, operation.thread, path);
  }
  // A graph launch has many operations. Count it once.
  std::sort(launches.begin(), launches.end());
  launches.erase(std::unique(launches.begin(), launches.end()), launches.end());
  for (const auto& [time, thread, path] : launches) ++paths[path.index()].launches;
  const auto mean = [](const Sum& sum) { return sum.launches == 0 ? 0 : sum.ns / sum.launches; };
  std::vector<int64_t> times;
  times.reserve(paths.size());
  for (const Sum& sum : paths) times.push_back(mean(sum.launches == 0 ? single : sum));
  return times;
}

}  // namespace gprofx
