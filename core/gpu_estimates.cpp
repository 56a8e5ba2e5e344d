#include "core/gpu_estimates.h"

#include <algorithm>
#include <cmath>

#include "core/gpu.h"

namespace gprofx {

GpuEstimates::Path& GpuEstimates::PathOf(NodeId path) {
  const size_t index = path.index();
  if (index >= paths_.size()) paths_.resize(std::max(index + 1, paths_.size() * 2));
  return paths_[index];
}

void GpuEstimates::AddLaunch(NodeId path) {
  if (path) ++PathOf(path).launches;
}

void GpuEstimates::AddTraced(NodeId path) {
  if (path) ++PathOf(path).traced;
}

void GpuEstimates::AddWork(NodeId node, ThreadId thread, NodeId path, int64_t ns) {
  const Key key{uint64_t{node.value} << 32 | path.value, thread.value};
  Work& work = work_[key];
  work.node = node;
  work.path = path;
  work.thread = thread;
  ++work.runs;
  work.ns += static_cast<double>(ns);
  work.squares += static_cast<double>(ns) * static_cast<double>(ns);
}

void GpuEstimates::Publish(Profile& profile) const {
  const MetricId time = profile.AddMetric(kMetricGpuEstimated, "ns", MetricKind::kSampled);
  const MetricId runs = profile.AddMetric(kMetricGpuOpsEstimated, "count", MetricKind::kSampled);
  const MetricId error = profile.AddMetric(kMetricGpuError, "ns", MetricKind::kSampled);
  for (const auto& [key, work] : work_) {
    // Work of unknown launches stands for itself.
    const Path path =
        work.path && work.path.index() < paths_.size() ? paths_[work.path.index()] : Path{};
    const double traced = static_cast<double>(std::max<int64_t>(path.traced, 1));
    const double all = std::max(static_cast<double>(path.launches), traced);
    profile.AddSelf(work.node, work.thread, time, std::llround(work.ns * all / traced));
    profile.AddSelf(work.node, work.thread, runs,
                    std::llround(static_cast<double>(work.runs) * all / traced));
    const double n = static_cast<double>(work.runs), mean = work.ns / n;
    const double deviation =
        n < 2 ? mean : std::sqrt(std::max(0.0, (work.squares - n * mean * mean) / (n - 1)));
    const double more = n * (all - traced) / traced;  // runs that were not seen
    const double standard_error = deviation * std::sqrt(more * more / n + more);
    profile.AddSelf(work.node, work.thread, error, std::llround(standard_error));
  }
  int64_t traced = 0, unknown = 0;
  for (const Path& path : paths_) {
    traced += path.traced;
    if (path.traced == 0) unknown += path.launches;
  }
  profile.quality["gpu_traced_launches"] = traced;
  profile.quality["gpu_untraced_launches"] = unknown;
}

}  // namespace gprofx
