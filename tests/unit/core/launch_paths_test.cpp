#include "core/gpu/launch_paths.h"

#include <catch2/catch.hpp>

#include "core/gpu/graph_captures.h"

namespace gprofx {
namespace {

NodeId Below(Profile& profile, NodeId parent, FrameKind kind, const char* name) {
  Function function;
  function.name = profile.Intern(name);
  Frame frame;
  frame.kind = kind;
  frame.function = profile.Intern(function);
  return profile.Child(parent, profile.Intern(frame));
}

}  // namespace

TEST_CASE("a launch takes what launches of its path take in the mean, all of their work together") {
  Profile profile;
  const NodeId plain = Below(profile, profile.root(), FrameKind::kPython, "plain");
  const NodeId graph = Below(profile, profile.root(), FrameKind::kPython, "graph");
  const NodeId never = Below(profile, profile.root(), FrameKind::kPython, "never");
  const NodeId captured = Below(profile, Below(profile, graph, FrameKind::kMarker, kCapturedAt),
                                FrameKind::kPython, "captured");
  const NodeId gemm = Below(profile, plain, FrameKind::kGpuKernel, "gemm");
  const NodeId node = Below(profile, captured, FrameKind::kGpuKernel, "node");
  const NodeId copy = Below(profile, captured, FrameKind::kGpuCopy, "copy");
  const std::vector<NodeId> paths = LaunchPaths(profile);
  CHECK(paths[gemm.index()] == plain);
  CHECK(paths[node.index()] == graph);
  CHECK(paths[copy.index()] == graph);

  // Two launches of the graph, of 30 and 50 ns of work each; as files have them: kernels, then
  // copies.
  const ThreadId one{1}, other{2};
  const PhaseOperation operations[] = {
      {10, 11, 15, one, gemm, {}, 0},
      {20, 21, 31, one, node, {}, 0},
      {20, 31, 41, one, node, {}, 0},
      {20, 21, 41, other, node, {}, 0},
      {30, 41, 43, one, gemm, {}, 0},
      {20, 41, 51, one, copy, {}, 0},
      {20, 51, 81, other, copy, {}, 0},
      {0, 90, 999, one, gemm, {}, 0}};  // of nobody knows what launch
  const std::vector<int64_t> times = LaunchTimes(profile, operations);
  CHECK(times[plain.index()] == 3);
  CHECK(times[graph.index()] == 40);
  CHECK(times[never.index()] == (4 + 2) / 2);
  CHECK(LaunchTimes(profile, {})[plain.index()] == 0);
}

}  // namespace gprofx
