#include "core/profiling_time.h"

#include "core/arithmetic.h"
#include "core/base/path.h"
#include "core/libraries.h"

namespace gprofx {
namespace {

enum class Sort : uint8_t { kProgram, kRunTime, kDriver, kAgent, kOurs, kCupti };

Sort SortOf(const Profile& profile, const Module& module) {
  const std::string_view path = profile.Text(module.path), name = BaseName(path);
  if ((module.flags & kModuleIsProfiler) != 0)
    return name.starts_with("libgprofx-agent") ? Sort::kAgent : Sort::kOurs;
  if (IsCuptiLibrary(path)) return Sort::kCupti;
  if (name.starts_with("libcuda.so")) return Sort::kDriver;
  return (module.flags & kModuleIsVdso) != 0 || IsCRuntime(path) ? Sort::kRunTime : Sort::kProgram;
}

// What is known of a stack from its root to a node.
struct Stack {
  bool is_profiling = false;   // time in the node itself
  bool whole_thread = false;   // the thread was begun for it
  bool has_code = false;       // anything but the run time
  Sort latest = Sort::kProgram;  // but for the run time and the driver
};

Stack Below(const Stack& above, Sort sort) {
  Stack out = above;
  if (sort == Sort::kRunTime) return out;  // it works for its caller
  const bool of_profiler = sort == Sort::kOurs || sort == Sort::kCupti;
  // Each thread of the program begins in the agent.
  out.whole_thread = above.whole_thread || (!above.has_code && of_profiler);
  out.has_code = above.has_code || sort != Sort::kAgent;
  out.is_profiling = out.whole_thread || of_profiler || sort == Sort::kAgent ||
                     (sort == Sort::kDriver && above.latest == Sort::kCupti);
  if (sort != Sort::kDriver) out.latest = sort;
  return out;
}

}  // namespace

bool IsCuptiLibrary(std::string_view path) {
  const std::string_view name = BaseName(path);
  return name.starts_with("libcupti") || name.starts_with("libnvperf");
}

std::vector<uint8_t> ProfilingNodes(const Profile& profile) {
  std::vector<Sort> sorts;
  for (const Module& module : profile.modules) sorts.push_back(SortOf(profile, module));
  std::vector<Stack> stacks(profile.nodes.size());
  std::vector<uint8_t> nodes(profile.nodes.size());
  bool any = false;
  for (size_t i = 0; i < profile.nodes.size(); ++i) {
    const Node& node = profile.nodes[i];
    if (!node.parent || node.parent.index() >= i) continue;  // the root, or a broken file
    const Stack& above = stacks[node.parent.index()];
    stacks[i] = above;
    if (!node.frame) continue;
    const Frame& frame = profile.frame(node.frame);
    // A layer says where a call came from, and is no code. Where a stack is cut its root is not known.
    if (frame.kind == FrameKind::kTruncated) {
      stacks[i].has_code = true;
    } else if (frame.kind != FrameKind::kLayer) {
      stacks[i] = Below(above, frame.module ? sorts[frame.module.index()] : Sort::kProgram);
    }
    nodes[i] = stacks[i].is_profiling ? 1 : 0;
    any = any || stacks[i].is_profiling;
  }
  if (!any) nodes.clear();
  return nodes;
}

int64_t ProfilingTime(const Profile& profile) {
  const std::vector<uint8_t> nodes = ProfilingNodes(profile);
  if (nodes.empty()) return 0;
  const MetricId wall = profile.FindMetric("wall"), time = wall ? wall : profile.FindMetric("cpu");
  int64_t sum = 0;
  for (const Value& value : profile.values) {
    if (value.metric && value.metric == time && value.node && value.node.index() < nodes.size() &&
        nodes[value.node.index()] != 0)
      sum = AddSaturated(sum, value.self);
  }
  return sum;
}

}  // namespace gprofx
