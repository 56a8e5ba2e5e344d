#include "core/slice/part_estimates.h"

#include <algorithm>

#include "core/gpu/launch_paths.h"

namespace gprofx {
namespace {

// Maximum size of traced_. It exceeds this only if more launches than that lie within kTogether.
constexpr size_t kMaxTraced = 4'000'000;

}  // namespace

PartEstimates::PartEstimates(const Profile& profile, TimeRange range,
                             std::span<const LevelWindow> windows)
    : profile_(profile), range_(range), path_of_(LaunchPaths(profile)), count_at_(kMaxTraced) {
  std::vector<std::vector<HostNs>> gaps(profile.processes.size() + 1);
  for (const LevelWindow& window : windows) {
    if (!window.traced) gaps[window.process.value].push_back(window.begin);
  }
  for (std::vector<HostNs>& begins : gaps) gaps_.emplace_back(std::move(begins));
}

void PartEstimates::AddLaunch(const PhaseLaunch& launch) {
  if (!IsIn(launch.time) || !launch.thread || !launch.node) return;
  const ProcessId process = profile_.thread(launch.thread).process;
  part_.AddLaunch(launch.node, process, WindowOf(process, launch.time));
}

void PartEstimates::AddTraced(std::span<const PhaseOperation> operations) {
  for (const PhaseOperation& operation : operations) {
    if (operation.launch <= 0 || !operation.thread || !operation.node) continue;
    traced_.push_back({operation.launch, operation.thread, path_of_[operation.node.index()]});
  }
  if (traced_.size() < count_at_) return;
  const Traced& last = *std::max_element(traced_.begin(), traced_.end());
  CountTraced(last.launch - kTogether);
  count_at_ = std::max(kMaxTraced, 2 * traced_.size());
}

// Counts the launches before `before`. A launch counts once, however many operations it has.
void PartEstimates::CountTraced(HostNs before) {
  std::sort(traced_.begin(), traced_.end());
  traced_.erase(std::unique(traced_.begin(), traced_.end()), traced_.end());
  size_t counted = 0;
  for (; counted < traced_.size() && traced_[counted].launch < before; ++counted) {
    const Traced& each = traced_[counted];
    const ProcessId process = profile_.thread(each.thread).process;
    (IsIn(each.launch) ? part_ : elsewhere_)
        .AddTraced(each.path, process, WindowOf(process, each.launch));
  }
  traced_.erase(traced_.begin(), traced_.begin() + static_cast<std::ptrdiff_t>(counted));
}

void PartEstimates::AddWork(std::span<const PhaseOperation> operations) {
  if (!traced_.empty()) CountTraced(kLatest);
  for (const PhaseOperation& operation : operations) {
    if (operation.node && operation.thread) AddWork(operation, path_of_[operation.node.index()]);
  }
}

void PartEstimates::AddWork(const PhaseOperation& operation, NodeId path) {
  const ProcessId process = profile_.thread(operation.thread).process;
  const GpuEstimates::Place place = {operation.node, path, profile_.node(operation.node).frame,
                                     operation.thread, process};
  const int64_t inside =
      std::min(operation.end, range_.end) - std::max(operation.start, range_.begin);
  const bool begins = IsIn(operation.start);
  if (begins || inside > 0) part_.AddSeen(place, std::max<int64_t>(inside, 0), begins ? 1 : 0);
  if (operation.launch <= 0) return;
  const uint32_t window = WindowOf(process, operation.launch);
  const int64_t ns = operation.end - operation.start;
  if (IsIn(operation.launch)) {
    part_.AddSample(place, window, ns);
  } else if (part_.NeedsSamples(path, process)) {
    elsewhere_.AddSample(place, window, ns);
  }
}

std::vector<GpuEstimates::Row> PartEstimates::Rows() const {
  return part_.Rows(part_.any_traced() ? &elsewhere_ : nullptr);
}

}  // namespace gprofx
