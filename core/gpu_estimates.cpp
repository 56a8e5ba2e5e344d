#include "core/gpu_estimates.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/gpu.h"

namespace gprofx {

void GpuEstimates::Sums::Add(double its_ns, int64_t its_runs) {
  runs += its_runs;
  ns += its_ns;
  squares += its_ns * its_ns;
}

void GpuEstimates::Sums::Add(const Sums& other) {
  runs += other.runs;
  ns += other.ns;
  squares += other.squares;
}

double GpuEstimates::Sums::MeanOr(double other) const {
  return runs == 0 ? other : ns / static_cast<double>(runs);
}

void GpuEstimates::Windows::Add(const Sums& window) {
  if (window.runs == 0) return;
  const auto runs = static_cast<double>(window.runs);
  ++count;
  ns_squares += window.ns * window.ns;
  products += window.ns * runs;
  run_squares += runs * runs;
}

const GpuEstimates::Path* GpuEstimates::Find(NodeId path, ThreadId thread) const {
  uint32_t at = path && path.index() < first_path_.size() ? first_path_[path.index()] : 0;
  while (at != 0 && paths_[at - 1].thread != thread) at = paths_[at - 1].next;
  return at == 0 ? nullptr : &paths_[at - 1];
}

GpuEstimates::Counts& GpuEstimates::CountsOf(NodeId path, ThreadId thread, uint32_t window) {
  const Path* found = Find(path, thread);
  if (found == nullptr) {
    const size_t index = path.index();
    if (index >= first_path_.size())
      first_path_.resize(std::max(index + 1, first_path_.size() * 2));
    paths_.push_back({.thread = thread, .next = first_path_[index], .first = {}, .later = {}});
    first_path_[index] = static_cast<uint32_t>(paths_.size());
    found = &paths_.back();
  }
  Path& own = paths_[static_cast<size_t>(found - paths_.data())];
  return window == 0 ? own.first : own.later;
}

void GpuEstimates::AddLaunch(NodeId path, ThreadId thread, uint32_t window) {
  if (path) ++CountsOf(path, thread, window).launches;
}

void GpuEstimates::AddTraced(NodeId path, ThreadId thread, uint32_t window) {
  if (path) ++CountsOf(path, thread, window).traced;
}

void GpuEstimates::Kernel::Add(uint32_t of_window, double run_off) {
  if (of_window != window) {
    squares += off * off;
    ++count;
    off = 0;
    window = of_window;
  }
  off += run_off;
}

double GpuEstimates::Kernel::Squares() const {
  // The first one that ended is that of before the first window.
  return count < 2 ? 0 : (squares + off * off) * count / (count - 1);
}

void GpuEstimates::AddWork(const Run& run) {
  const Key key{uint64_t{run.node.value} << 32 | run.path.value, run.thread.value};
  Work& work = work_[key];
  work.node = run.node;
  work.path = run.path;
  work.kernel = run.kernel;
  work.thread = run.thread;
  const auto took = static_cast<double>(run.ns);
  if (run.window == 0) return work.first.Add(took, run.runs);
  const size_t kernel = run.kernel.index();
  if (kernel >= kernels_.size()) kernels_.resize(std::max(kernel + 1, kernels_.size() * 2));
  const double mean = work.later.MeanOr(took);
  kernels_[kernel].Add(run.window, took - mean);
  work.later.Add(took, run.runs);
  if (run.window != work.window) {
    work.windows.Add(work.latest);
    work.latest = {};
    work.window = run.window;
  }
  work.latest.Add(took, run.runs);
}

void GpuEstimates::Estimate::AddUnseen(double more, const Counts& launches, const Sums& work,
                                       const Windows& windows) {
  ns += work.ns * more;
  runs += static_cast<double>(work.runs) * more;
  // Launches that ran something else took nothing; those of graphs run it more than once.
  const double n = static_cast<double>(std::max<int64_t>({work.runs, launches.traced, 1}));
  double off = n < 2 ? work.ns * work.ns : (work.squares - work.ns * work.ns / n) * n / (n - 1);
  if (windows.count > 1) {
    const double mean = work.MeanOr(0);
    const double count = windows.count;
    const double of_windows = windows.ns_squares - 2 * mean * windows.products +
                              mean * mean * windows.run_squares;
    off = std::max(off, of_windows * count / (count - 1));
  }
  squares += std::max(off, 0.0);
  variance += std::max(off, 0.0) * (more * more + more);
}

void GpuEstimates::Estimate::Add(const Counts& launches, const Sums& work, const Windows& windows) {
  ns += work.ns;
  runs += static_cast<double>(work.runs);
  const auto traced = static_cast<double>(std::max<int64_t>(launches.traced, 1));
  const double all = std::max(static_cast<double>(launches.launches), traced);
  AddUnseen((all - traced) / traced, launches, work, windows);
}

GpuEstimates::Estimate GpuEstimates::EstimateOf(const Work& work) const {
  Windows windows = work.windows;
  windows.Add(work.latest);
  Estimate estimate;
  const Path* path = Find(work.path, work.thread);
  if (path != nullptr && path->first.traced != 0 && path->later.traced != 0) {
    estimate.Add(path->first, work.first, {});
    estimate.Add(path->later, work.later, windows);
    return estimate;
  }
  // Work of unknown launches stands for itself.
  Counts counts;
  if (path != nullptr) {
    counts = {path->launches(), path->traced()};
  }
  Sums sums = work.first;
  sums.Add(work.later);
  estimate.Add(counts, sums, work.first.runs == 0 ? windows : Windows{});
  return estimate;
}

// What so many launches took, none of which was seen, by those of the path elsewhere.
GpuEstimates::Estimate GpuEstimates::Borrowed(const Work& work, const Path& there,
                                              int64_t launches) {
  Estimate estimate;
  const bool later = there.later.traced != 0;
  const Counts& counts = later ? there.later : there.first;
  Windows windows;
  if (later) {
    windows = work.windows;
    windows.Add(work.latest);
  }
  if (counts.traced == 0) return estimate;
  const double more = static_cast<double>(launches) / static_cast<double>(counts.traced);
  estimate.AddUnseen(more, counts, later ? work.later : work.first, windows);
  return estimate;
}

std::vector<GpuEstimates::Row> GpuEstimates::Rows(const GpuEstimates* elsewhere) const {
  std::vector<Row> rows;
  std::vector<double> squares(kernels_.size());  // of the paths of a kernel by themselves
  for (const auto& [key, work] : work_) {
    const size_t kernel = work.kernel.index();
    if (kernel < squares.size()) squares[kernel] += EstimateOf(work).squares;
  }
  for (const auto& [key, work] : work_) {
    Estimate estimate = EstimateOf(work);
    const size_t kernel = work.kernel.index();
    if (kernel < squares.size() && squares[kernel] > 0)
      estimate.variance *= std::max(1.0, kernels_[kernel].Squares() / squares[kernel]);
    rows.push_back({work.node, work.thread, estimate.ns, estimate.runs,
                    std::sqrt(estimate.variance)});
  }
  for (const auto& [key, work] : elsewhere == nullptr ? decltype(work_){} : elsewhere->work_) {
    const Path *here = Find(work.path, work.thread),
               *there = elsewhere->Find(work.path, work.thread);
    if (here == nullptr || here->traced() != 0 || there == nullptr) continue;
    const Estimate estimate = Borrowed(work, *there, here->launches());
    if (estimate.ns == 0) continue;
    rows.push_back({work.node, work.thread, estimate.ns, estimate.runs,
                    std::sqrt(estimate.variance)});
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::pair(a.node, a.thread) < std::pair(b.node, b.thread);
  });
  return rows;
}

bool GpuEstimates::any_traced() const {
  return std::any_of(paths_.begin(), paths_.end(), [](const Path& p) { return p.traced() != 0; });
}

void GpuEstimates::Publish(Profile& profile) const {
  const MetricId time = profile.AddMetric(kMetricGpuEstimated, "ns", MetricKind::kSampled);
  const MetricId runs = profile.AddMetric(kMetricGpuOpsEstimated, "count", MetricKind::kSampled);
  const MetricId error = profile.AddMetric(kMetricGpuError, "ns", MetricKind::kSampled);
  for (const Row& row : Rows()) {
    profile.AddSelf(row.node, row.thread, time, std::llround(row.ns));
    profile.AddSelf(row.node, row.thread, runs, std::llround(row.runs));
    profile.AddSelf(row.node, row.thread, error, std::llround(row.error));
  }
  int64_t traced = 0, unknown = 0;
  for (const Path& path : paths_) {
    traced += path.traced();
    if (path.traced() == 0) unknown += path.launches();
  }
  profile.quality["gpu_traced_launches"] = traced;
  profile.quality["gpu_untraced_launches"] = unknown;
}

}  // namespace gprofx
