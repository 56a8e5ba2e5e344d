// Defines helpers and notes that several analyses share (parts.h).
#include <algorithm>

#include "core/analyses/parts.h"
#include "core/analyses/shown.h"
#include "core/base/arithmetic.h"
#include "core/base/format.h"
#include "core/base/path.h"
#include "core/model/python_files.h"

namespace gprofx::analyses {
namespace {

std::string PercentText(double share) { return Format("%.1f%%", 100 * share); }

double ShareOf(int64_t part, int64_t whole) {
  return whole <= 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// Returns the short form of a line for notes: "train.py:12".
std::string LineText(const AnalysisContext& context, FrameId line) {
  const Frame& frame = context.profile.frame(line);
  const std::string_view path = FrameFile(context.profile, frame);
  return std::string(BaseName(path)) + ":" + std::to_string(frame.line);
}

}  // namespace

AnalysisCell Share(int64_t part, int64_t whole) {
  if (whole <= 0) return {};
  return ShareOf(part, whole);
}

bool NeedsGpu(const AnalysisContext& context, Analysis& out) {
  if (!context.has_gpu) out.reason = "no GPU work is " + InWhatIsShown(context.profile);
  return context.has_gpu;
}

bool NeedsLayers(const AnalysisContext& context, Analysis& out) {
  if (!context.levels.paths.empty()) return true;
  const std::vector<Frame>& frames = context.profile.frames;
  const bool python = std::any_of(frames.begin(), frames.end(), [](const Frame& frame) {
    return frame.kind == FrameKind::kPython;
  });
  out.reason = python ? "its stacks contain no call of a module (torch.nn.Module)"
                      : "this profile has no Python stacks, so modules are unknown";
  return false;
}

void NoteSteps(const AnalysisContext& context, Analysis& out) {
  const int64_t steps = context.steps;
  out.notes.push_back(steps > 1    ? "per step, mean of " + std::to_string(steps) + " steps"
                      : steps == 1 ? "of one step"
                                   : "no steps were found, so everything counts as one step");
  if (context.is_estimated) {
    out.notes.push_back(
        "GPU time is estimated, because records were made for only part of the launches");
  }
}

// Does not count work that can have no layer as unattributed, because the table is complete without
// it. This is work of optimizers, collectives and the program's own loop, and work launched before
// the recording.
void NoteAttributed(const AnalysisContext& context, Analysis& out) {
  if (context.gpu_ns <= 0) return;
  const OutsideLayers& outside = context.outside;
  const int64_t rest = outside.other_ns;
  int64_t inside = context.gpu_ns;
  for (const int64_t ns : {rest, outside.before_ns, outside.optimizer_ns, outside.communication_ns,
                           outside.program_ns}) {
    inside = SubtractSaturated(inside, ns);
  }
  const auto percent = [&](int64_t ns) { return PercentText(ShareOf(ns, context.gpu_ns)); };
  std::string text = percent(inside) + " of the GPU time lies in layers";
  const auto add = [&](int64_t ns, const char* what) {
    if (ns > 0) text += ", " + percent(ns) + " " + what;
  };
  add(outside.optimizer_ns, "in an optimizer");
  add(outside.communication_ns, "in communication outside of layers");
  add(outside.program_ns, "outside of modules");
  if (outside.program_ns > 0)
    text += " (largest share at " + LineText(context, outside.program_line) + ")";
  add(outside.before_ns, "was launched before the recording");
  add(rest, "elsewhere");
  out.degraded = ShareOf(inside, AddSaturated(inside, rest)) < kMinAttributed;
  out.notes.push_back(text + (out.degraded ? " (degraded: below 95%)" : ""));
}

std::vector<uint32_t> LayersInOrder(const AnalysisContext& context) {
  std::vector<uint32_t> order;
  for (uint32_t id = 1; id <= context.levels.layers.size(); ++id) {
    if (context.levels.layer(id).first) order.push_back(id);
  }
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(context.levels.layer(a).first, a) <
           std::pair(context.levels.layer(b).first, b);
  });
  return order;
}

std::unordered_map<uint32_t, int64_t> BusyByLayer(const AnalysisContext& context) {
  const Profile& profile = context.profile;
  const std::vector<PhaseOperation>& operations = context.events.operations;
  std::vector<uint32_t> order(operations.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto earlier = [&](uint32_t a, uint32_t b) {
    return operations[a].start < operations[b].start;
  };
  if (!std::is_sorted(order.begin(), order.end(), earlier)) {
    std::sort(order.begin(), order.end(), earlier);
  }
  const auto device_of = [&](const PhaseOperation& operation) -> uint32_t {
    if (!operation.stream) return 0;
    const GpuContextId at = profile.gpu.streams[operation.stream.index()].context;
    return at ? profile.gpu.contexts[at.index()].device.value : 0;
  };
  // Operations are sorted by begin. Only the part of an operation after the latest end so far does
  // not overlap with earlier ones.
  struct Until {
    int64_t busy = 0;
    HostNs end = INT64_MIN;
  };
  std::unordered_map<uint64_t, Until> until;  // by device and layer
  for (const uint32_t i : order) {
    const PhaseOperation& operation = operations[i];
    const HostNs begin = std::max(operation.start, context.counted.begin);
    const HostNs end = std::min(operation.end, context.counted.end);
    if (begin >= end) continue;
    const uint64_t device = uint64_t{device_of(operation)} << 32;
    const auto add = [&](uint32_t layer) {
      Until& known = until[device | layer];
      if (end <= known.end) return;
      known.busy = AddSaturated(known.busy, end - std::max(begin, known.end));
      known.end = end;
    };
    add(0);
    for (uint32_t path = context.paths[i]; path != 0;
         path = context.levels.paths[path - 1].parent) {
      add(context.levels.LayerOf(path));
    }
  }
  std::unordered_map<uint32_t, int64_t> out;
  for (const auto& [key, known] : until) {
    int64_t& busy = out[static_cast<uint32_t>(key)];
    busy = AddSaturated(busy, known.busy);
  }
  return out;
}

}  // namespace gprofx::analyses
