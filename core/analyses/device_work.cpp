#include "core/analyses/device_work.h"
#include "core/model/gpu_numbers.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/gpu/collective_frames.h"

namespace gprofx::analyses {
std::string DeviceWork::ProcessText(const Profile& profile) const {
  return process ? std::to_string(profile.process(process).pid) : "";
}

std::string DeviceWork::DeviceText(const Profile& profile) const {
  if (!device) return "";
  const std::string name(profile.Text(profile.gpu.devices[device.index()].name));
  return std::to_string(GpuNumbers(profile)[device.index()]) + (name.empty() ? "" : " " + name);
}

std::vector<DeviceWork> DeviceWorkOf(const AnalysisContext& context, DeviceWorkBy by) {
  const Profile& profile = context.profile;
  const std::vector<bool> communication = CommunicationFrames(profile);
  std::map<std::tuple<ProcessId, GpuDeviceId, GpuStreamId>, DeviceWork> groups;
  const std::vector<PhaseOperation>& operations = context.events.operations;
  for (uint32_t i = 0; i < operations.size(); ++i) {
    const PhaseOperation& operation = operations[i];
    WorkPiece row;
    row.begin = std::max(operation.start, context.counted.begin);
    row.end = std::min(operation.end, context.counted.end);
    if (row.end < row.begin || (row.end == row.begin && !context.BeginsInside(operation))) continue;
    row.launch = operation.launch;
    row.operation = i;
    const FrameId frame = operation.node ? profile.node(operation.node).frame : FrameId{};
    if (i >= context.events.configs.size()) {
      row.what = PieceKind::kMemory;
    } else if (frame && communication[frame.index()]) {
      row.what = PieceKind::kCommunication;
    }
    ProcessId process = operation.thread ? profile.thread(operation.thread).process : ProcessId{};
    GpuDeviceId device;
    if (operation.stream) {
      const GpuContextId at = profile.gpu.streams[operation.stream.index()].context;
      if (at) device = profile.gpu.contexts[at.index()].device;
    }
    const GpuStreamId stream = by == DeviceWorkBy::kStream ? operation.stream : GpuStreamId{};
    DeviceWork& group = groups[{process, device, stream}];
    group.process = process;
    group.device = device;
    group.stream = stream;
    group.rows.push_back(row);
  }
  std::vector<DeviceWork> out;
  for (auto& [_, group] : groups) {
    const auto earlier = [](const WorkPiece& a, const WorkPiece& b) { return a.begin < b.begin; };
    if (!std::is_sorted(group.rows.begin(), group.rows.end(), earlier)) {
      std::stable_sort(group.rows.begin(), group.rows.end(), earlier);
    }
    out.push_back(std::move(group));
  }
  return out;
}

}  // namespace gprofx::analyses
