#include "samplers/collector/gpu/plain.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/base/arithmetic.h"
#include "samplers/collector/drain/drain_bounds.h"

namespace gprofx {
namespace {

constexpr uint32_t kQueueFull = 6u << 16;  // CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL

struct Span {
  HostNs start = 0, end = 0;
};

Span BoundedSpan(uint64_t start, uint64_t end, HostNs now) {
  Span span;
  span.end = static_cast<HostNs>(std::min(end, static_cast<uint64_t>(LatestTime(now))));
  span.start = static_cast<HostNs>(std::min<uint64_t>(start, static_cast<uint64_t>(span.end)));
  return span;
}

template <class Record>
GpuWork PlainWork(const Record& record, HostNs now) {
  const Span span = BoundedSpan(record.start, record.end, now);
  return {record.correlation, span.start,     span.end,     record.graph_node,
          record.device,      record.context, record.stream};
}

std::string Uuid(const uint8_t (&bytes)[16]) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "GPU-";
  for (size_t i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

std::string DriverVersion(uint32_t driver) {  // 13020 -> "13.2"
  return driver == 0 ? ""
                     : std::to_string(driver / 1000) + "." + std::to_string(driver % 1000 / 10);
}

}  // namespace

GpuKernel PlainKernel(const wire::GpuKernelRecord& record, const GpuKernelName& name, HostNs now) {
  GpuKernel kernel{PlainWork(record, now), name, {}};
  GpuKernelConfig& config = kernel.config;
  config.function = name.function;
  std::copy(std::begin(record.grid), std::end(record.grid), config.grid);
  std::copy(std::begin(record.block), std::end(record.block), config.block);
  config.registers = record.registers;
  config.static_shared = record.static_shared;
  config.dynamic_shared = record.dynamic_shared;
  config.local = record.local;
  return kernel;
}

GpuCopy PlainCopy(const wire::GpuCopyRecord& record, HostNs now) {
  return {PlainWork(record, now), ToSigned(record.bytes), record.kind, record.source,
          record.target};
}

GpuSet PlainSet(const wire::GpuSetRecord& record, HostNs now) {
  return {PlainWork(record, now), ToSigned(record.bytes), record.memory};
}

GpuSync PlainSync(const wire::GpuSyncRecord& record, HostNs now) {
  const Span span = BoundedSpan(record.start, record.end, now);
  return {record.correlation, span.start, span.end, record.context, record.type};
}

GpuOverhead PlainOverhead(const wire::GpuOverheadRecord& record, HostNs now) {
  const Span span = BoundedSpan(record.start, record.end, now);
  return {span.start, span.end, record.kind, record.tid, record.kind == kQueueFull};
}

GpuLevelChange PlainLevel(const wire::GpuLevelRecord& record, HostNs now) {
  const Span span = BoundedSpan(record.left, record.entered, now);
  return {span.start,
          span.end,
          record.level > wire::kLevelOff,
          record.level >= wire::kLevelRecords,
          ToSigned(record.launches_left),
          ToSigned(record.launches)};
}

EnvironmentEvent PlainEnvironment(const wire::GpuEnvironmentRecord& record, HostNs now) {
  EnvironmentEvent event;
  event.time = BoundedSpan(record.time, record.time, now).start;
  event.sm_mhz = record.sm_mhz;
  event.memory_mhz = record.memory_mhz;
  event.milliwatts = record.milliwatts;
  event.celsius = record.celsius;
  event.throttle = record.throttle;
  return event;
}

WaitPlaceEvent PlainWait(const wire::GpuWaitRecord& record, ThreadId thread, NodeId node,
                         HostNs now) {
  return {BoundedSpan(record.time, record.time, now).start, thread, node};
}

GraphNode PlainGraphNode(const wire::GpuGraphNodeRecord& record) {
  return {record.graph_node, record.original, record.node};
}

GpuDeviceFacts PlainDevice(const wire::GpuDeviceRecord& record, std::string_view name) {
  GpuDeviceFacts facts;
  facts.uuid = Uuid(record.uuid);
  facts.name = name;
  facts.pci_bus.assign(record.pci_bus, strnlen(record.pci_bus, sizeof record.pci_bus));
  facts.driver = DriverVersion(record.driver);
  facts.compute_major = record.compute_major;
  facts.compute_minor = record.compute_minor;
  facts.multiprocessors = record.multiprocessors;
  facts.clock_hz = ToSigned(record.clock_hz);
  facts.memory_bytes = ToSigned(record.memory_bytes);
  facts.memory_bytes_per_s = ToSigned(record.memory_bytes_per_s);
  facts.warps_per_multiprocessor = record.warps_per_multiprocessor;
  facts.threads_per_warp = record.threads_per_warp;
  return facts;
}

}  // namespace gprofx
