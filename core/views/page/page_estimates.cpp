#include "core/views/page/page_estimates.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/base/arithmetic.h"
#include "core/gpu/gpu.h"
#include "core/gpu/launch_paths.h"

namespace gprofx {

PageEstimatesBuilder::PageEstimatesBuilder(const Profile& profile,
                                           std::span<const LevelWindow> windows, Limits limits)
    : profile_(profile), path_of_(LaunchPaths(profile)), of_process_(profile.processes.size() + 1) {
  FindWork();
  NumberPaths(limits.paths);
  GroupGaps(windows, limits.rows);
}

// Fills work_ with the estimated work minus the recorded work of each node and thread.
void PageEstimatesBuilder::FindWork() {
  const auto add = [this](const char* metric, int sign, int64_t Sums::*sum) {
    const MetricId id = profile_.FindMetric(metric);
    if (!id) return;
    for (const Value& value : profile_.values) {
      if (value.metric != id || !value.node || !value.thread) continue;
      int64_t& all = work_[{value.node, value.thread}].*sum;
      all = sign > 0 ? AddSaturated(all, value.self) : SubtractSaturated(all, value.self);
    }
  };
  add(kMetricGpuEstimated, 1, &Sums::ns);
  add(kMetricGpu, -1, &Sums::ns);
  add(kMetricGpuOpsEstimated, 1, &Sums::runs);
  add(kMetricGpuOps, -1, &Sums::runs);
  std::erase_if(work_, [](const auto& row) { return row.second.ns <= 0 && row.second.runs <= 0; });
}

PageEstimatesBuilder::Path PageEstimatesBuilder::PathOf(NodeId node, ThreadId thread) const {
  return {path_of_[node.index()], profile_.thread(thread).process};
}

void PageEstimatesBuilder::NumberPaths(size_t most) {
  std::map<Path, int64_t> times;
  for (const auto& [place, sums] : work_) {
    int64_t& time = times[PathOf(place.first, place.second)];
    time = AddSaturated(time, std::max<int64_t>(sums.ns, 0));
  }
  std::vector<std::pair<int64_t, Path>> order;
  for (const auto& [path, time] : times) order.emplace_back(-time, path);
  std::sort(order.begin(), order.end());
  numbers_of_.assign(of_process_.size(), 0);
  std::map<ProcessId, uint32_t> rest;  // by process: number of the merged path
  uint32_t next = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const Path& path = order[i].second;
    uint32_t number = next;
    if (i >= most) number = rest.try_emplace(path.second, next).first->second;
    paths_.emplace(KeyOf(path), number);
    if (number != next) continue;
    ++next;
    ++numbers_of_[path.second.value];
  }
}

void PageEstimatesBuilder::GroupGaps(std::span<const LevelWindow> windows, size_t most_rows) {
  std::vector<size_t> gaps(of_process_.size());
  for (const LevelWindow& window : windows) gaps[window.process.value] += window.traced ? 0 : 1;
  size_t rows = 0;
  for (size_t i = 0; i < gaps.size(); ++i) rows += numbers_of_[i] * gaps[i];
  const size_t together = std::max<size_t>((rows + most_rows - 1) / most_rows, 1);

  std::vector<LevelWindow> sorted(windows.begin(), windows.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const LevelWindow& a, const LevelWindow& b) {
    return std::tie(a.process, a.begin) < std::tie(b.process, b.begin);
  });
  uint32_t group = 0;
  size_t in_group = 0;
  ProcessId last;
  for (const LevelWindow& window : sorted) {
    if (window.process != last || in_group == together) {
      group += in_group > 0 ? 1 : 0;
      in_group = 0;
    }
    last = window.process;
    of_process_[window.process.value].push_back({window.begin, window.traced, group});
    if (window.traced) continue;
    ++in_group;
    out_.gaps.push_back({window.begin, window.end, window.launches, group});
  }
}

uint32_t PageEstimatesBuilder::NumberOf(const Path& path) const {
  const auto found = paths_.find(KeyOf(path));
  return found == paths_.end() ? kNone : found->second;
}

void PageEstimatesBuilder::Add(const PhaseLaunch& launch) {
  if (!launch.thread || !launch.node) return;
  const ProcessId process = profile_.thread(launch.thread).process;
  const std::vector<Window>& windows = of_process_[process.value];
  // A launch between two windows counts for the earlier one.
  const auto after =
      std::upper_bound(windows.begin(), windows.end(), launch.time,
                       [](HostNs time, const Window& window) { return time < window.begin; });
  if (after == windows.begin() || (after - 1)->traced) return;
  const uint32_t path = NumberOf({launch.node, process});
  if (path != kNone) ++launches_[uint64_t{path} << 32 | (after - 1)->group];
}

PageEstimates PageEstimatesBuilder::Finish(const PageTree& tree) && {
  for (const auto& [key, count] : launches_) {
    out_.launches.push_back({static_cast<uint32_t>(key >> 32), static_cast<uint32_t>(key), count});
  }
  std::sort(out_.launches.begin(), out_.launches.end(), [](const auto& a, const auto& b) {
    return std::tie(a.path, a.group) < std::tie(b.path, b.group);
  });
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Sums> rows;  // by thread, node, path
  for (const auto& [place, sums] : work_) {
    const uint32_t node = tree.node_of[place.first.index()];
    const uint32_t thread = tree.thread_of[place.second.value];
    if (node == PageTree::kNowhere || thread == PageTree::kNowhere) continue;
    Sums& row = rows[{thread, node, NumberOf(PathOf(place.first, place.second))}];
    row.ns = AddSaturated(row.ns, sums.ns);
    row.runs = AddSaturated(row.runs, sums.runs);
  }
  for (const auto& [place, sums] : rows) {
    const auto& [thread, node, path] = place;
    out_.work.push_back({thread, node, path, sums.ns, sums.runs});
  }
  return std::move(out_);
}

}  // namespace gprofx
