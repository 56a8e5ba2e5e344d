// Detects GPU memory that the program repeatedly allocates from the driver and frees.
#include <map>

#include "core/findings/detectors.h"

namespace gprofx::findings {

Candidates FindAllocatorChurn(const Scene& scene) {
  Cure cure;
  std::map<uint32_t, std::pair<int64_t, NodeId>> frees, all;
  int64_t allocations = 0, releases = 0, ns = 0;
  for (uint32_t i = 0; i < scene.line.calls.size(); ++i) {
    const LineCall& call = scene.line.calls[i];
    if (!call.memory) continue;
    cure.calls.push_back(i);
    const bool is_free = scene.profile.Text(call.name).find("Free") != std::string_view::npos;
    ++(is_free ? releases : allocations);
    const int64_t length = call.end - call.begin;
    ns += length;
    const FrameId line = call.node ? scene.LineOf(call.node) : FrameId{};
    if (!line) continue;
    const auto add = [&](auto& lines) {
      auto& [sum, node] = lines[line.value];
      sum += length;
      node = call.node;
    };
    add(all);
    if (is_free) add(frees);
  }
  // A few allocations are normal, because every program allocates memory when it first uses it.
  if (scene.line.steps < 2 || allocations + releases < 2 * scene.line.steps) return {};
  Candidate made;
  int64_t most = -1;
  for (const auto& [line, sum] : frees.empty() ? all : frees) {
    if (sum.first <= most) continue;
    most = sum.first;
    made.line = FrameId{line};
    made.node = sum.second;
  }
  made.cure = std::move(cure);
  made.summary = "GPU memory is taken from the driver and given back in every step";
  made.evidence = {scene.PerStepText(allocations, "allocations") + ", " +
                       scene.PerStepText(releases, "releases") + " by the driver",
                   scene.PerStepTime(ns) + " in them"};
  made.computed = "without the calls, and without the waits of releases for the GPU";
  return {made};
}

}  // namespace gprofx::findings
