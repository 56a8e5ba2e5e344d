#include "core/launch_paths.h"

#include "core/arithmetic.h"
#include "core/graph_captures.h"

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
  struct Path {
    int64_t ns = 0, launches = 0;
    HostNs latest = kEarliest;
  };
  const std::vector<NodeId> path_of = LaunchPaths(profile);
  std::vector<Path> paths(profile.nodes.size());
  for (const PhaseOperation& operation : operations) {
    if (!operation.node || operation.launch <= 0) continue;
    const NodeId node = path_of[operation.node.index()];
    if (!node) continue;
    Path& path = paths[node.index()];
    path.ns = AddSaturated(path.ns, SubtractSaturated(operation.end, operation.start));
    if (operation.launch != path.latest) ++path.launches;
    path.latest = operation.launch;
  }
  std::vector<int64_t> times(paths.size());
  for (size_t i = 0; i < paths.size(); ++i) {
    if (paths[i].launches > 0) times[i] = paths[i].ns / paths[i].launches;
  }
  return times;
}

}  // namespace gprofx
