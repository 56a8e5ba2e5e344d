#include "cli/top/gpu_window.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "cli/top/cpu_window.h"
#include "core/kernel_family.h"
#include "core/level_windows.h"
#include "core/views/names.h"
#include "core/views/wall.h"
#include "core/wall_partition.h"

namespace gprofx {
namespace {

bool IsWork(Stream stream) {
  return stream == Stream::kKernels || stream == Stream::kCopies || stream == Stream::kSets;
}

int NodeColumn(Stream stream) {
  return stream == Stream::kKernels  ? static_cast<int>(column::kKernelNode)
         : stream == Stream::kCopies ? static_cast<int>(column::kCopyNode)
                                     : static_cast<int>(column::kSetNode);
}

BusyClass ClassOf(const Profile& profile, NodeId node) {
  const Frame& frame = profile.frame(profile.node(node).frame);
  if (frame.kind != FrameKind::kGpuKernel) return BusyClass::kCopy;
  const std::string_view name = profile.Text(profile.function(frame.function).name);
  return IsCommunicationKernel(name) ? BusyClass::kCommunication : BusyClass::kCompute;
}

// The innermost Python frame above; 0 = none.
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

void GpuWindow::Take(const EventTable& rows) {
  const Stream stream = rows.stream();
  if (IsWork(stream)) {
    const auto node = static_cast<size_t>(NodeColumn(stream));
    for (size_t i = 0; i < rows.rows(); ++i) {
      const HostNs begin = rows.column(0)[i], end = begin + rows.column(1)[i];
      work_.push_back({begin, end, NodeId{static_cast<uint32_t>(rows.column(node)[i])}});
      latest_ = std::max(latest_, end);
    }
  } else if (stream == Stream::kCalls) {
    for (size_t i = 0; i < rows.rows(); ++i) {
      const HostNs begin = rows.column(column::kCallStart)[i];
      waits_.push_back({begin, begin + rows.column(column::kCallDuration)[i], "",
                        StringId{static_cast<uint32_t>(rows.column(column::kCallKind)[i])}});
    }
  } else if (stream == Stream::kGpuLevels) {
    for (size_t i = 0; i < rows.rows(); ++i) {
      const HostNs begin = rows.column(column::kLevelStart)[i];
      const HostNs end = begin + rows.column(column::kLevelDuration)[i];
      if (rows.column(column::kLevelTraced)[i] == 0) waits_.push_back({begin, end, kNoRecords, {}});
    }
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
  for (const Work& work : work_) {
    wall.AddBusy(ClassOf(profile, work.node), std::max(work.begin, begin_), std::min(work.end, end));
  }
  for (const Wait& wait : waits_) {
    const std::string name = wait.call.empty() ? std::string(profile.Text(wait.name)) : wait.call;
    wall.AddWait(name, std::max(wait.begin, begin_), std::min(wait.end, end));
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
  for (const Work& work : work_) {
    if (!InFocus(profile, work.node, focus)) continue;
    Sum& sum = sums[profile.node(work.node).frame];
    const int64_t ns = std::max<int64_t>(0, std::min(work.end, end) - std::max(work.begin, begin_));
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
    const auto most = std::max_element(
        sum.lines.begin(), sum.lines.end(),
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
  if (begin_ < 0) {  // the GPU's time begins with its first work
    if (work_.empty()) return;
    begin_ = std::min_element(work_.begin(), work_.end(), [](const Work& a, const Work& b) {
               return a.begin < b.begin;
             })->begin;
  }
  const HostNs end = std::min(now, std::max(latest_, now - kMostBehind));
  if (end - begin_ >= kLeast) {
    MakeGpu(profile, end, now);
    MakeKernels(profile, end, snapshot.focus);
    begin_ = end;
    const auto over = [&](const auto& row) { return row.end <= end; };
    std::erase_if(work_, over);
    std::erase_if(waits_, over);
    std::erase_if(samples_, [&](const Sample& sample) { return sample.time < end; });
  }
  snapshot.gpu = gpu_;
  snapshot.kernels = kernels_;
}

}  // namespace gprofx
