#include "core/gpu/gpu_estimates.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/student.h"
#include "core/gpu/gpu.h"

namespace gprofx {
namespace {

template <class A, class B>
uint64_t KeyOf(A a, B b) {
  return uint64_t{a.value} << 32 | b.value;
}

}  // namespace

void GpuEstimates::Sums::Add(double run_ns) {
  ++runs;
  ns += run_ns;
  squares += run_ns * run_ns;
}

void GpuEstimates::Windows::Add(const Sums& window) {
  if (window.runs == 0) return;
  const auto of_window = static_cast<double>(window.runs);
  ++count;
  ns_squares += window.ns * window.ns;
  products += window.ns * of_window;
  run_squares += of_window * of_window;
}

// Returns the sum of the squared deviations of the windows from `mean`, times W / (W - 1) for W
// windows. If there are few windows, it is enlarged by Student's t. Returns 0 if there are fewer
// than two.
double GpuEstimates::Windows::Squares(double mean) const {
  if (count < 2) return 0;
  const double degrees = count - 1;
  const double wider = StudentQuantile(std::max(degrees, 3.0), 0.975) / StudentQuantile(1e9, 0.975);
  const double off = ns_squares - 2 * mean * products + mean * mean * run_squares;
  return std::max(off, 0.0) * count / degrees * wider * wider;
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
  // `count` is the number of windows in the sum: it does not include the latest window, but
  // includes an empty one before the first gap.
  return count < 2 ? 0 : (squares + off * off) * count / (count - 1);
}

void GpuEstimates::AddLaunch(NodeId path, ProcessId process, uint32_t window) {
  if (path) ++paths_[KeyOf(path, process)][window == 0 ? kFirst : kLater].launches;
}

void GpuEstimates::AddTraced(NodeId path, ProcessId process, uint32_t window) {
  if (path) ++paths_[KeyOf(path, process)][window == 0 ? kFirst : kLater].traced;
}

void GpuEstimates::AddSeen(const Place& place, int64_t ns, int64_t runs) {
  Work& work = work_[KeyOf(place.node, place.thread)];
  work.place = place;
  work.seen_ns += static_cast<double>(ns);
  work.seen_runs += runs;
}

void GpuEstimates::AddSample(const Place& place, uint32_t window, int64_t ns) {
  if (!place.path) return;
  const auto took = static_cast<double>(ns);
  const Part part = window == 0 ? kFirst : kLater;
  Work& work = work_[KeyOf(place.node, place.thread)];
  work.place = place;
  work.sample_ns[part] += took;
  work.sample_runs[part] += 1;
  Sample& sample = samples_[KeyOf(place.node, place.process)];
  sample.place = place;
  Sums& sums = sample.parts[part];
  const double off = sums.runs == 0 ? 0 : took - sums.Mean();
  sums.Add(took);
  if (part == kFirst) return;
  kernels_[KeyOf(place.kernel, place.process)].Add(window, off);
  if (window != sample.window) {
    sample.windows.Add(sample.latest);
    sample.latest = {};
    sample.window = window;
  }
  sample.latest.Add(took);
}

// Returns the sum of squared deviations from the mean duration: of single launches or, if that is
// larger, of windows.
double GpuEstimates::Sample::Squares(Part part, int64_t traced) const {
  const Sums& sums = parts[part];
  // Launches that ran another kernel count with a duration of 0, and a graph launch may run a
  // kernel more than once. The sample size is the larger of both counts.
  const auto n = static_cast<double>(std::max(sums.runs, traced));
  const double of_runs =
      n < 2 ? sums.ns * sums.ns : (sums.squares - sums.ns * sums.ns / n) * n / (n - 1);
  if (part == kFirst) return std::max(of_runs, 0.0);
  Windows all = windows;
  all.Add(latest);
  return std::max({of_runs, all.Squares(sums.Mean()), 0.0});
}

// Computes estimates from the samples of one part: how long the launches of a path took.
class GpuEstimates::Source {
 public:
  Source(const GpuEstimates& of, Part part) : of_(of), part_(part) {
    for (const auto& [key, sample] : of.samples_) {
      if (sample.parts[part].runs == 0) continue;
      of_path_[PathOf(sample.place)].push_back(&sample);
      if (part == kLater) paths_alone_[KernelOf(sample.place)] += SquaresOf(sample);
    }
    for (const auto& [key, work] : of.work_) {
      if (work.sample_runs[part] != 0)
        threads_[KeyOf(work.place.node, work.place.process)].push_back(&work);
    }
  }
  int64_t Traced(uint64_t path) const {
    const auto found = of_.paths_.find(path);
    return found == of_.paths_.end() ? 0 : found->second[part_].traced;
  }
  // Estimates the work of `unseen` launches of a path that have no record. They are distributed
  // over threads like the launches with records. Calls take(place, ns, runs, variance) for each
  // node and thread.
  template <class Take>
  void Estimate(uint64_t path, int64_t unseen, const Take& take) const {
    const auto found = of_path_.find(path);
    if (found == of_path_.end()) return;
    const double more = static_cast<double>(unseen) / static_cast<double>(Traced(path));
    for (const Sample* sample : found->second) {
      const double variance = SquaresOf(*sample) * Together(*sample) * (more * more + more);
      const auto runs = static_cast<double>(sample->parts[part_].runs);
      for (const Work* work : threads_.at(KeyOf(sample->place.node, sample->place.process))) {
        take(work->place, work->sample_ns[part_] * more, work->sample_runs[part_] * more,
             variance * work->sample_runs[part_] / runs);
      }
    }
  }

 private:
  static uint64_t PathOf(const Place& place) { return KeyOf(place.path, place.process); }
  static uint64_t KernelOf(const Place& place) { return KeyOf(place.kernel, place.process); }
  double SquaresOf(const Sample& sample) const {
    return sample.Squares(part_, Traced(PathOf(sample.place)));
  }
  // Returns the factor, at least 1, by which the variance of the paths of a kernel is enlarged. It
  // is above 1 if all paths of the kernel together deviate more than independent paths would.
  double Together(const Sample& sample) const {
    const auto alone = paths_alone_.find(KernelOf(sample.place));
    const auto kernel = of_.kernels_.find(KernelOf(sample.place));
    if (alone == paths_alone_.end() || alone->second <= 0 || kernel == of_.kernels_.end()) return 1;
    return std::max(1.0, kernel->second.Squares() / alone->second);
  }

  const GpuEstimates& of_;
  const Part part_;
  ByKey<std::vector<const Sample*>> of_path_;  // by path and process
  ByKey<std::vector<const Work*>> threads_;    // by node and process
  ByKey<double> paths_alone_;                  // by kernel and process: sums of squares
};

std::vector<GpuEstimates::Row> GpuEstimates::Rows(const GpuEstimates* elsewhere) const {
  ByKey<Row> found;  // until the end, `error` holds the variance
  for (const auto& [key, work] : work_) {
    if (work.seen_runs == 0 && work.seen_ns == 0) continue;
    found[key] = {work.place.node, work.place.thread, work.seen_ns,
                  static_cast<double>(work.seen_runs), 0};
  }
  const GpuEstimates& others = elsewhere == nullptr ? *this : *elsewhere;
  const Source own[] = {{*this, kFirst}, {*this, kLater}};
  const Source other[] = {{others, kFirst}, {others, kLater}};
  for (const auto& [path, counts] : paths_) {
    for (const Part part : {kFirst, kLater}) {
      if (counts[part].unseen() == 0) continue;
      const Part rest = part == kFirst ? kLater : kFirst;
      for (const Source* source : {&own[part], &other[part], &own[rest], &other[rest]}) {
        if (source->Traced(path) == 0) continue;
        source->Estimate(path, counts[part].unseen(),
                         [&](const Place& place, double ns, double runs, double variance) {
                           Row& row = found[KeyOf(place.node, place.thread)];
                           row.node = place.node;
                           row.thread = place.thread;
                           row.ns += ns;
                           row.runs += runs;
                           row.error += variance;
                         });
        break;
      }
    }
  }
  std::vector<Row> rows;
  rows.reserve(found.size());
  for (const auto& [key, row] : found) {
    rows.push_back(row);
    rows.back().error = std::sqrt(row.error);
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::pair(a.node, a.thread) < std::pair(b.node, b.thread);
  });
  return rows;
}

bool GpuEstimates::NeedsSamples(NodeId path, ProcessId process) const {
  const auto found = paths_.find(KeyOf(path, process));
  if (found == paths_.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(),
                     [](const Counts& c) { return c.launches != 0 && c.traced == 0; });
}

bool GpuEstimates::any_traced() const {
  return std::any_of(paths_.begin(), paths_.end(), [](const auto& path) {
    return path.second[kFirst].traced + path.second[kLater].traced != 0;
  });
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
  for (const auto& [key, path] : paths_) {
    const int64_t of_path = path[kFirst].traced + path[kLater].traced;
    traced += of_path;
    if (of_path == 0) unknown += path[kFirst].launches + path[kLater].launches;
  }
  profile.quality["gpu_traced_launches"] = traced;
  profile.quality["gpu_untraced_launches"] = unknown;
}

}  // namespace gprofx
