// Converts records that a target wrote to the plain structs of core/gpu/gpu_timeline_builder.h.
// Limits their values: no time is far after `now`, and no number is negative. Pure.
#pragma once

#include <string_view>

#include "core/gpu/gpu_timeline_builder.h"
#include "samplers/wire/gpu.h"

namespace gprofx {

GpuKernel PlainKernel(const wire::GpuKernelRecord& record, const GpuKernelName& name, HostNs now);
GpuCopy PlainCopy(const wire::GpuCopyRecord& record, HostNs now);
GpuSet PlainSet(const wire::GpuSetRecord& record, HostNs now);
GpuSync PlainSync(const wire::GpuSyncRecord& record, HostNs now);
GpuOverhead PlainOverhead(const wire::GpuOverheadRecord& record, HostNs now);
struct GpuLevelChange {  // the arguments of GpuTimelineBuilder::ChangeLevel
  HostNs left = 0, entered = 0;
  bool recording = false, traced = false;
  int64_t launches_left = 0, launches = 0;
};
GpuLevelChange PlainLevel(const wire::GpuLevelRecord& record, HostNs now);
EnvironmentEvent PlainEnvironment(const wire::GpuEnvironmentRecord& record, HostNs now);
WaitPlaceEvent PlainWait(const wire::GpuWaitRecord& record, ThreadId thread, NodeId node,
                         HostNs now);
GraphNode PlainGraphNode(const wire::GpuGraphNodeRecord& record);
GpuDeviceFacts PlainDevice(const wire::GpuDeviceRecord& record, std::string_view name);

}  // namespace gprofx
