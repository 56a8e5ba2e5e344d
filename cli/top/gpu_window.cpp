#include "cli/top/gpu_window.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "cli/top/cpu_window.h"
#include "core/gpu/level_windows.h"
#include "core/slice/part_rows.h"
#include "core/views/naming/names.h"
#include "core/views/wall.h"
#include "core/wall/wall_partition.h"

namespace gprofx {
namespace {

// Returns the line that launched the work at `node`: the innermost Python frame above it. Returns 0
// if there is none.
FrameId LaunchLine(const Profile& profile, NodeId node) {
  for (NodeId at = node; at && at != profile.root(); at = profile.node(at).parent) {
    const FrameId id = profile.node(at).frame;
    if (id && profile.frame(id).kind == FrameKind::kPython) return id;
  }
  return {};
}

bool InFocus(const Profile& profile, NodeId node, const std::string& focus) {
  for (NodeId at = node; !focus.empty() && at && at != profile.root();
       at = profile.node(at).parent) {
    const FrameId id = profile.node(at).frame;
    if (!id || !profile.frame(id).function) continue;
    const Function& function = profile.function(profile.frame(id).function);
    if (ContainsText(profile.Text(function.name), focus) ||
        ContainsText(profile.Text(function.file), focus))
      return true;
  }
  return focus.empty();
}

}  // namespace

void GpuWindow::Take(const Profile& profile, const EventTable& rows) {
  if (rows.stream() == Stream::kMarkers || rows.stream() == Stream::kGpuLaunches) return;
  if (!classes_) classes_.emplace(profile);
  const size_t before = rows_.events.operations.size();
  AddPartRows(rows, profile, rows_);
  for (size_t i = before; i < rows_.events.operations.size(); ++i) {
    latest_ = std::max(latest_, rows_.events.operations[i].end);
  }
}

void GpuWindow::Take(const Profile& profile, const GpuTimeline& gpu,
                     std::span<const SampleRow> rows) {
  if (!gpu.used()) return;
  if (!classes_) classes_.emplace(profile);
  for (const SampleRow& row : rows) {
    if (!gpu.UsesGpu(row.thread)) continue;
    samples_.push_back({row.time, classes_->Of(row.node, row.state), row.weight});
  }
}

void GpuWindow::MakeGpu(const Profile& profile, HostNs end, HostNs now) {
  WallPartition wall;
  BusyClasses classes(profile);
  const auto in_interval = [&](HostNs from, HostNs to, const auto& add) {
    add(std::max(from, begin_), std::min(to, end));
  };
  for (const PhaseOperation& work : rows_.events.operations) {
    in_interval(work.start, work.end,
                [&](HostNs from, HostNs to) { wall.AddBusy(classes.Of(work.node), from, to); });
  }
  for (const PhaseWait& wait : rows_.events.waits) {
    in_interval(wait.begin, wait.end, [&](HostNs from, HostNs to) {
      wall.AddWait(WaitingCall(profile, wait.node), from, to);
    });
  }
  for (const PartEvents::Full& full : rows_.queue_full) {
    in_interval(full.begin, full.end, [&](HostNs from, HostNs to) { wall.AddQueueFull(from, to); });
  }
  for (const LevelWindow& window : rows_.windows) {
    if (window.traced) continue;
    in_interval(window.begin, window.end,
                [&](HostNs from, HostNs to) { wall.AddWait(kNoRecords, from, to); });
  }
  for (const WaitPlaceEvent& look : rows_.looks) {
    if (look.time >= begin_ && look.time < end)
      wall.AddLook(classes_->OfBlocked(look.node), look.time);
  }
  for (const Sample& sample : samples_) {
    if (sample.time >= begin_ && sample.time < end) {
      wall.AddSample(sample.what, sample.time, sample.weight);
    }
  }
  const WallShares shares = ShareWall(wall.Finish(begin_, end));
  TopGpu& gpu = gpu_.emplace();
  gpu.interval_ns = end - begin_;
  gpu.behind_ns = now - end;
  gpu.unseen_ns = shares.unseen_ns;
  gpu.busy_ns = shares.busy.ns;
  gpu.idle_ns = shares.idle.ns;
  for (const WallShare& part : shares.busy_parts) gpu.busy.push_back({part.what, part.ns});
  for (const WallShare& part : shares.idle_parts) gpu.idle.push_back({part.what, part.ns});
  gpu.devices = static_cast<int>(profile.gpu.devices.size());
  if (gpu.devices > 0) gpu.device = profile.Text(profile.gpu.devices[0].name);
}

void GpuWindow::MakeKernels(const Profile& profile, HostNs end, const std::string& focus) {
  struct Sum {
    int64_t ns = 0, count = 0;
    std::map<FrameId, int64_t> lines;
  };
  std::unordered_map<FrameId, Sum> sums;
  for (const PhaseOperation& work : rows_.events.operations) {
    if (!InFocus(profile, work.node, focus)) continue;
    Sum& sum = sums[profile.node(work.node).frame];
    const int64_t ns = std::max<int64_t>(0, std::min(work.end, end) - std::max(work.start, begin_));
    sum.ns += ns;
    ++sum.count;
    sum.lines[LaunchLine(profile, work.node)] += ns;
  }
  kernels_.clear();
  for (const auto& [frame, sum] : sums) {
    TopKernel row;
    row.name = FrameName(profile, profile.frame(frame));
    row.ns = sum.ns;
    row.count = sum.count;
    const auto most =
        std::max_element(sum.lines.begin(), sum.lines.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most->first) {
      const Frame& line = profile.frame(most->first);
      row.file = FrameFile(profile, line);
      row.function = FrameName(profile, line);
      row.line = line.line;
    }
    kernels_.push_back(std::move(row));
  }
}

void GpuWindow::Finish(const Profile& profile, HostNs now, Snapshot& snapshot) {
  if (begin_ < 0) {  // the first interval begins with the first GPU work
    const std::vector<PhaseOperation>& work = rows_.events.operations;
    if (work.empty()) return;
    const auto first = std::min_element(
        work.begin(), work.end(),
        [](const PhaseOperation& a, const PhaseOperation& b) { return a.start < b.start; });
    begin_ = first->start;
  }
  const HostNs end = std::min(now, std::max(latest_, now - kMaxBehind));
  if (end - begin_ >= kMin) {
    MakeGpu(profile, end, now);
    MakeKernels(profile, end, snapshot.focus);
    begin_ = end;
    const auto over = [&](const auto& row) { return row.end <= end; };
    std::erase_if(rows_.events.operations, over);
    std::erase_if(rows_.events.waits, over);
    std::erase_if(rows_.queue_full, over);
    std::erase_if(rows_.windows, over);
    std::erase_if(rows_.looks, [&](const WaitPlaceEvent& look) { return look.time < end; });
    std::erase_if(samples_, [&](const Sample& sample) { return sample.time < end; });
  }
  snapshot.gpu = gpu_;
  snapshot.kernels = kernels_;
}

}  // namespace gprofx
