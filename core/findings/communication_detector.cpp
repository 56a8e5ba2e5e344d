// Detects collectives that do not overlap with computation.
#include <algorithm>
#include <map>

#include "core/findings/detectors.h"

namespace gprofx::findings {

Candidates FindExposedCommunication(const Scene& scene) {
  if (std::none_of(scene.line.ops.begin(), scene.line.ops.end(),
                   [](const LineOp& op) { return op.communication; })) {
    return {};
  }
  std::vector<uint32_t> order(scene.line.ops.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return scene.line.ops[a].start < scene.line.ops[b].start;
  });
  // Union of the ranges in which the GPU computes, in order.
  std::vector<TimeRange> computing;
  for (const uint32_t i : order) {
    const LineOp& op = scene.line.ops[i];
    if (op.communication || !op.is_kernel) continue;
    if (!computing.empty() && op.start <= computing.back().end) {
      computing.back().end = std::max(computing.back().end, op.end);
    } else {
      computing.push_back({op.start, op.end});
    }
  }
  Candidate made;
  int64_t all = 0, exposed = 0, count = 0;
  std::map<uint32_t, std::pair<int64_t, NodeId>> lines;
  for (const uint32_t i : order) {
    const LineOp& op = scene.line.ops[i];
    if (!op.communication) continue;
    int64_t hidden = 0;
    auto at = std::upper_bound(computing.begin(), computing.end(), op.start,
                               [](HostNs t, const TimeRange& r) { return t < r.end; });
    for (; at != computing.end() && at->begin < op.end; ++at) {
      hidden += std::min(at->end, op.end) - std::max(at->begin, op.start);
    }
    all += op.duration();
    exposed += op.duration() - hidden;
    ++count;
    made.cure.ops.push_back({i, hidden});
    auto& [sum, node] = lines[scene.LineOf(op.node).value];
    sum += op.duration() - hidden;
    node = op.node;
  }
  if (count == 0) return {};
  int64_t most = -1;
  for (const auto& [line, sum] : lines) {
    if (sum.first <= most) continue;
    most = sum.first;
    made.line = FrameId{line};
    made.node = sum.second;
  }
  made.summary = "The GPU communicates while nothing is computed";
  made.evidence = {scene.PerStepText(count, "collectives") + ", " + scene.PerStepTime(all),
                   scene.PerStepTime(exposed) +
                       " of it without computing at the same time, including waits for late peers"};
  made.computed =
      "without that part of each collective, as if it ran at the same time as computing";
  return {made};
}

}  // namespace gprofx::findings
