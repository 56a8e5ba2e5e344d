// Computes the time that host threads spent in each layer. In traces of other tools it comes from
// their spans. In recordings it comes from samples and from the exact times of waiting calls.
#include <algorithm>
#include <numeric>
#include <string_view>

#include "core/analyses/parts.h"
#include "core/base/arithmetic.h"
#include "core/base/text.h"
#include "core/model/layer_path.h"

namespace gprofx::analyses {
namespace {

class Classifier {
 public:
  explicit Classifier(const AnalysisContext& context) : context_(context) {
    of_frame_.reserve(context.profile.frames.size());
    for (const Frame& frame : context.profile.frames) of_frame_.push_back(KindOf(frame));
  }

  HostKind Of(NodeId node) const {
    const FrameId call = context_.levels.at(node).call;
    if (call) return of_frame_[call.index()];
    const FrameId frame = context_.profile.node(CodeOf(context_.profile, node)).frame;
    return frame ? of_frame_[frame.index()] : HostKind::kDispatch;
  }

 private:
  HostKind KindOf(const Frame& frame) const {
    if (frame.kind == FrameKind::kPython) return HostKind::kPython;
    const std::string_view name =
        frame.function ? context_.profile.Text(context_.profile.function(frame.function).name)
                       : std::string_view();
    const bool call =
        frame.kind == FrameKind::kCudaApi || name.starts_with("cu") || name.starts_with("hip");
    if (!call) return HostKind::kDispatch;
    if (frame.kind == FrameKind::kCudaApi || Contains(name, "Synchronize")) return HostKind::kWait;
    if (Contains(name, "Malloc") || Contains(name, "Free") || Contains(name, "MemAlloc")) {
      return HostKind::kMemory;
    }
    if (Contains(name, "Memcpy") || Contains(name, "Memset")) return HostKind::kCopy;
    return HostKind::kLaunch;
  }

  const AnalysisContext& context_;
  std::vector<HostKind> of_frame_;
};

}  // namespace

int64_t HostTimeByLayer::Row::Sum() const {
  return std::accumulate(ns, ns + kHostKinds, int64_t{0}, &AddSaturated);
}

HostTimeByLayer HostTimeOf(const AnalysisContext& context) {
  const Profile& profile = context.profile;
  HostTimeByLayer out;
  const MetricId spans = profile.FindMetric("host");
  const auto clock = profile.meta.find("clock");
  const bool wall = clock != profile.meta.end() && clock->second == "wall";
  const MetricId samples = profile.FindMetric(wall ? "wall" : "cpu");
  const MetricId waits = profile.FindMetric(kMetricGpuWait);
  if (spans) {
    out.is_span = true;
    out.note = "host: time in the spans of the trace, forward only";
    if (profile.part) {
      out.reason = "host code of an imported trace has no times; --phase all has its spans";
      return out;
    }
  } else if (samples) {
    out.note = wall ? "host: sampled wall time of forward calls"
                    : "host: sampled CPU time of forward calls, and their waiting for the GPU";
  } else {
    out.reason = "this profile has no host time";
    return out;
  }
  const Classifier classes(context);
  for (const Value& value : profile.values) {
    if (!value.node || !value.metric || value.self == 0) continue;
    const bool is_wait = !spans && value.metric == waits;
    if (value.metric != (spans ? spans : samples) && !is_wait) continue;
    const NodeLevel& level = context.levels.at(value.node);
    if (level.layer_path == 0 || level.is_backward) continue;
    const HostKind kind = is_wait ? HostKind::kWait : classes.Of(value.node);
    // If the exact times of waiting calls (`waits`) are counted, samples of waiting are skipped.
    if (!spans && !is_wait && kind == HostKind::kWait && waits) continue;
    std::vector<uint32_t> seen;
    for (uint32_t path = level.layer_path; path != 0;
         path = context.levels.paths[path - 1].parent) {
      const uint32_t layer = context.levels.LayerOf(path);
      if (std::find(seen.begin(), seen.end(), layer) != seen.end()) continue;
      seen.push_back(layer);
      int64_t& sum = out.layers[layer].ns[static_cast<size_t>(kind)];
      sum = AddSaturated(sum, value.self);
    }
  }
  if (out.layers.empty()) out.reason = "no host time lies in a layer";
  return out;
}

}  // namespace gprofx::analyses
