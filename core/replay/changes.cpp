#include "core/replay/changes.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "core/base/arithmetic.h"
#include "core/base/format.h"
#include "core/kernels/kernel_family.h"
#include "core/replay/named_nodes.h"

namespace gprofx {
namespace {

constexpr double kLongest = 1e18;         // ns, maximum duration of an operation
constexpr int64_t kCopyStart = 1'500;     // ns, minimum duration of a copy
constexpr int64_t kGraphLaunch = 10'000;  // ns of host time for launching a graph
// Time (ns) by which a kernel in a CUDA graph is shorter than alone, because it begins while the
// previous kernel is still ending. Measured with seven programs on an H100
// (tests/bench/what_if/graph_gap.py): -0.04 to 0.32 us. With this value, their predicted steps are
// within 6 %.
constexpr int64_t kGraphOverlap = 100;
constexpr int64_t kLongestLaunching = 1'000'000;  // ns; a longer interval is not only launch work

// True if a kernel of this family can be fused. Matrix products, attention, collectives and sorts
// cannot, because they need their complete inputs.
bool CanFuse(KernelFamily family) {
  switch (family) {
    case KernelFamily::kElementwise:
    case KernelFamily::kCopy:
    case KernelFamily::kFill:
    case KernelFamily::kReduction:
    case KernelFamily::kSoftmax:
    case KernelFamily::kNorm:
    case KernelFamily::kLoss:
    case KernelFamily::kOptimizer:
    case KernelFamily::kFused:
    case KernelFamily::kRandom:
    case KernelFamily::kQuantize:
      return true;
    default:
      return false;
  }
}

std::vector<bool> FusableNodes(const Profile& profile) {
  std::vector<bool> of_frame;
  of_frame.reserve(profile.frames.size());
  for (const Frame& frame : profile.frames) {
    of_frame.push_back(
        frame.kind == FrameKind::kGpuKernel && frame.function &&
        CanFuse(WhatKernelDoes(profile.Text(profile.function(frame.function).name)).family));
  }
  std::vector<bool> out;
  out.reserve(profile.nodes.size());
  for (const Node& node : profile.nodes) {
    out.push_back(node.frame && of_frame[node.frame.index()]);
  }
  return out;
}

bool IsDownload(const ReplayOperation& copy) { return copy.copy.kind == cupti::kDeviceToHost; }

bool IsPageableUpload(const ReplayOperation& copy) {
  return copy.copy.kind == cupti::kHostToDevice && IsPageable(copy.copy);
}

double UploadRate(const Profile& profile, const ReplayEvents& events, WhatIfAnswer& answer) {
  std::vector<TimedCopy> copies;
  for (const ReplayOperation& copy : events.operations) {
    if (copy.kind != ReplayOperation::kCopy) continue;
    copies.push_back({copy.copy, copy.bytes, SubtractSaturated(copy.end, copy.start)});
  }
  const CopyRate rate = PinnedRate(profile, copies, cupti::kHostToDevice);
  if (rate.bytes_per_ns <= 0) {
    answer.reason =
        "the recording has no pinned copies, and the link speed of the device is unknown";
    return 0;
  }
  answer.assumed.push_back(Format(
      "pinned memory is copied at %.1f GB/s, %s", rate.bytes_per_ns,
      rate.measured ? "the median of this recording's pinned copies of 1 MiB and more"
                    : "the link speed of such a device (no pinned copy of 1 MiB was recorded)"));
  return rate.bytes_per_ns;
}

class Changer {
 public:
  Changer(const ChangeContext& context, const ReplayGraph& graph, ReplayModel& model,
          std::map<std::string, int64_t>& counts)
      : context_(context), graph_(graph), nodes_(graph.nodes()), model_(model), counts_(counts) {}

  void PinMemory() {
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].kind == ReplayNode::kOperation && IsPageableUpload(Operation(i))) {
        const double ns = static_cast<double>(Operation(i).bytes) / context_.pinned_bytes_per_ns;
        model_.length[i] = std::min<int64_t>(model_.length[i], std::llround(ns) + kCopyStart);
        ++counts_["copies from pageable memory"];
      }
      const uint32_t cause = nodes_[i].from[ReplayNode::kCause];
      if (nodes_[i].kind == ReplayNode::kCallEnd && cause != kNoNode &&
          IsPageableUpload(Operation(cause))) {
        Release(i);
        ++counts_["waits for them"];
      }
    }
  }

  void NoSync() {
    std::unordered_set<uint32_t> gone;  // operations to remove
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].kind != ReplayNode::kCallEnd) continue;
      const ReplayCall& call = graph_.calls()[nodes_[i].event];
      if (!call.node || !context_.named[call.node.index()]) continue;
      const uint32_t cause = nodes_[i].from[ReplayNode::kCause];
      // Copies from pageable host memory block because of the memory; the program did not ask to
      // wait. They stay unchanged.
      if (!call.name && cause != kNoNode && IsPageableUpload(Operation(cause))) continue;
      Release(i);
      ++counts_["waiting calls"];
      if (cause != kNoNode && IsDownload(Operation(cause))) gone.insert(nodes_[cause].event);
    }
    // If a removed wait was for a copy to the host, the copy is not needed either. It is removed,
    // and so is the host time before its launch and between its launch and the wait.
    bool after = false;  // the previous moment was the launch of a removed copy
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].kind == ReplayNode::kOperation) {
        if (gone.contains(nodes_[i].event)) Vanish(i);
        continue;
      }
      const bool is_launch =
          nodes_[i].kind == ReplayNode::kLaunch && gone.contains(nodes_[i].event);
      if (is_launch || (after && nodes_[i].kind == ReplayNode::kCallBegin)) model_.before[i] = 0;
      after = is_launch || (after && nodes_[i].kind == ReplayNode::kCallBegin);
    }
    if (!gone.empty())
      counts_["copies to the host that go with them"] += static_cast<int64_t>(gone.size());
  }

  void Fuse() {
    struct Run {
      uint32_t first = kNoNode;
      bool has_more = false;
      uint32_t step = 0;
    };
    std::unordered_map<uint32_t, Run> runs;  // by stream: the current run of fusable kernels
    std::vector<bool> merged(graph_.events().operations.size());
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].kind != ReplayNode::kOperation) continue;
      const ReplayOperation& operation = Operation(i);
      Run& run = runs[operation.stream.value];
      const size_t node = operation.node ? operation.node.index() : 0;
      const bool fits = operation.node && context_.named[node] && context_.fusable[node];
      if (!fits || run.first == kNoNode || run.step != graph_.step_of(i)) {
        run = fits ? Run{i, false, graph_.step_of(i)} : Run{};
        continue;
      }
      model_.length[run.first] = std::max(model_.length[run.first], model_.length[i]);
      Vanish(i);
      merged[nodes_[i].event] = true;
      if (!run.has_more) ++counts_["fused kernels"];
      run.has_more = true;
      ++counts_["removed launches"];
    }
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].kind == ReplayNode::kLaunch && merged[nodes_[i].event]) model_.before[i] = 0;
    }
  }

  void Graphs() {
    bool launched = false;  // the current step already has a launch
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      const ReplayNode& node = nodes_[i];
      if (node.kind == ReplayNode::kStep) launched = false;
      if (node.kind == ReplayNode::kOperation) {
        if (IsInGraph(i)) continue;
        model_.before[i] = 0;
        if (Operation(i).kind == ReplayOperation::kKernel) {
          model_.length[i] -= std::min(kGraphOverlap, model_.length[i] / 2);
        }
        continue;
      }
      if (node.kind == ReplayNode::kCallEnd || node.lag[ReplayNode::kBefore] > kLongestLaunching) {
        continue;
      }
      const bool is_launch = node.kind == ReplayNode::kLaunch;
      model_.before[i] = is_launch && !launched ? kGraphLaunch : 0;
      if (is_launch && launched) ++counts_["removed launches"];
      launched = launched || is_launch;
    }
  }

  void Scale() {
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].kind != ReplayNode::kOperation) continue;
      const ReplayOperation& operation = Operation(i);
      if (!operation.node || !context_.named[operation.node.index()]) continue;
      const double length = static_cast<double>(model_.length[i]) * context_.change.factor;
      model_.length[i] = std::llround(std::min(length, kLongest));
      ++counts_["operations"];
    }
  }

 private:
  // True if the operation belongs to the same launch as the previous one on its stream.
  bool IsInGraph(uint32_t operation) const {
    const uint32_t before = nodes_[operation].from[ReplayNode::kBefore];
    return before != kNoNode && nodes_[before].kind == ReplayNode::kOperation &&
           Operation(operation).launch != 0 &&
           Operation(before).launch == Operation(operation).launch;
  }
  const ReplayOperation& Operation(uint32_t node) const {
    return graph_.events().operations[nodes_[node].event];
  }
  // Makes the operation take no time and depend only on its stream.
  void Vanish(uint32_t operation) {
    model_.length[operation] = 0;
    model_.before[operation] = 0;
    model_.Cut(operation, ReplayNode::kCause);
    model_.Cut(operation, ReplayNode::kOther);
  }

  // Makes the call that ends at node `end` return at once.
  void Release(uint32_t end) {
    model_.Cut(end, ReplayNode::kCause);
    model_.before[end] = 0;
  }

  const ChangeContext& context_;
  const ReplayGraph& graph_;
  const std::vector<ReplayNode>& nodes_;
  ReplayModel& model_;
  std::map<std::string, int64_t>& counts_;
};

}  // namespace

ChangeContext MakeChangeContext(const Profile& profile, const ReplayEvents& events,
                                const WhatIfChange& change, WhatIfAnswer& answer) {
  ChangeContext context{profile, change, {}, {}, 0};
  std::vector<std::string>& assumed = answer.assumed;
  switch (change.kind) {
    case WhatIfChange::kPinMemory:
      context.pinned_bytes_per_ns = UploadRate(profile, events, answer);
      assumed.push_back("they are asynchronous (non_blocking); pinning costs the step nothing");
      return context;
    case WhatIfChange::kNoSync:
      assumed.push_back(
          "the host does not need the results that it waited for, so they are not copied to it");
      break;
    case WhatIfChange::kFuse:
      context.fusable = FusableNodes(profile);
      assumed.push_back(
          "a fused kernel takes as long as the longest one in it: data that the others read and "
          "wrote stay in registers");
      break;
    case WhatIfChange::kGraphs:
      assumed.push_back(
          "a kernel of a graph begins 0.1 us before the end of the previous kernel, and its launch "
          "takes the host 10 us; host work of more than 1 ms between two launches stays");
      return context;
    case WhatIfChange::kScale:
      break;
  }
  context.named = NamedNodes(profile, change.name);
  return context;
}

void ApplyChange(const ChangeContext& context, const ReplayGraph& graph, ReplayModel& model,
                 std::map<std::string, int64_t>& counts) {
  Changer changer(context, graph, model, counts);
  switch (context.change.kind) {
    case WhatIfChange::kPinMemory:
      return changer.PinMemory();
    case WhatIfChange::kNoSync:
      return changer.NoSync();
    case WhatIfChange::kFuse:
      return changer.Fuse();
    case WhatIfChange::kGraphs:
      return changer.Graphs();
    case WhatIfChange::kScale:
      return changer.Scale();
  }
}

}  // namespace gprofx
