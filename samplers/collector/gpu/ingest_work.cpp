// GpuIngest: the records of work that ran on the device, or that the driver did for it.
#include <algorithm>

#include "samplers/collector/gpu/ingest.h"
#include "samplers/collector/gpu/work_names.h"

namespace gprofx {
namespace {

constexpr uint32_t kQueueFull = 6u << 16;  // CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL

struct Span {
  HostNs start = 0, end = 0;
};

// Nothing ends after it was reported, but `now` may be from a moment before.
Span Bounded(uint64_t start, uint64_t end, HostNs now) {
  constexpr HostNs kAhead = 1'000'000'000;
  const auto limit = static_cast<uint64_t>(std::max<HostNs>(now, 0) + kAhead);
  Span span;
  span.end = static_cast<HostNs>(std::min(end, limit));
  span.start = static_cast<HostNs>(std::min<uint64_t>(start, static_cast<uint64_t>(span.end)));
  return span;
}

int64_t Signed(uint64_t value) {
  return static_cast<int64_t>(std::min<uint64_t>(value, INT64_MAX));
}

uint64_t Product(const uint32_t (&size)[3]) {
  uint64_t product = 1;
  for (const uint32_t n : size) {
    if (__builtin_mul_overflow(product, std::max<uint32_t>(n, 1), &product)) return UINT64_MAX;
  }
  return product;
}

}  // namespace

GpuIngest::Place GpuIngest::PlaceOf(const Work& work, FrameId frame, const WireNodeOf& node_of) {
  Place place;
  NodeId base;
  if (const GpuLaunch* launch = launches_.Find(work.correlation)) {
    base = launch->node;
    place.thread = launch->thread;
    place.launch = std::max<HostNs>(launch->time, 1);
  } else {
    base =
        run_.Child(run_.profile().root(), run_.Marker("[launched before the recording or lost]"));
    place.thread = run_.UnknownThread(process_);
    ++run_.unlaunched();
  }
  place.node = run_.Child(captures_.PathOf(base, work.graph_node, node_of), frame);
  return place;
}

void GpuIngest::Account(const Work& work, const Place& place) {
  const GpuMetrics& metrics = run_.metrics();
  run_.profile().AddSelf(place.node, place.thread, metrics.time, work.end - work.start);
  run_.profile().AddSelf(place.node, place.thread, metrics.operations, 1);
}

void GpuIngest::TakeKernel(const wire::GpuKernelRecord& record, HostNs now,
                           const WireNodeOf& node_of) {
  const Span span = Bounded(record.start, record.end, now);
  const Work work{record.correlation, span.start, span.end, record.graph_node};
  const KernelName& name = names_.Find(record.name);
  const Place place = PlaceOf(work, name.frame, node_of);
  Account(work, place);
  const uint32_t stream = places_.Stream(record.context, record.device, record.stream);
  const uint32_t config = run_.places().Config(ConfigOf(record, name.function));
  run_.events().kernels.Append({span.start, span.end - span.start, place.launch, place.thread.value,
                                place.node.value, stream, config, record.correlation,
                                static_cast<int64_t>(record.graph_node)});
  run_.AddBusy(process_, places_.Device(record.device),
               name.communication ? BusyClass::kCommunication : BusyClass::kCompute, span.start,
               span.end);
  const uint64_t per_warp = places_.WarpThreads(record.device);
  const uint64_t threads = Product(record.block);
  const uint64_t block_warps = threads / per_warp + (threads % per_warp != 0 ? 1 : 0);
  const uint64_t resident = places_.ResidentWarps(record.device);
  uint64_t warps = 0;
  if (__builtin_mul_overflow(Product(record.grid), block_warps, &warps)) warps = resident;
  pc_.AddKernel(PcIngest::KeyOf(record.context, name), span.start, span.end,
                {place.node, place.thread}, std::min(warps, resident));
}

void GpuIngest::TakeCopy(const wire::GpuCopyRecord& record, HostNs now, const WireNodeOf& node_of) {
  const Span span = Bounded(record.start, record.end, now);
  const Work work{record.correlation, span.start, span.end, record.graph_node};
  const FrameId frame =
      run_.Marker(CopyName(record.kind, record.source, record.target), FrameKind::kGpuCopy);
  const Place place = PlaceOf(work, frame, node_of);
  Account(work, place);
  const uint32_t stream = places_.Stream(record.context, record.device, record.stream);
  run_.events().copies.Append({span.start, span.end - span.start, place.launch, place.thread.value,
                               place.node.value, stream, Signed(record.bytes), record.kind,
                               record.source, record.target, record.correlation,
                               static_cast<int64_t>(record.graph_node)});
  run_.AddBusy(process_, places_.Device(record.device), BusyClass::kCopy, span.start, span.end);
}

void GpuIngest::TakeSet(const wire::GpuSetRecord& record, HostNs now, const WireNodeOf& node_of) {
  const Span span = Bounded(record.start, record.end, now);
  const Work work{record.correlation, span.start, span.end, record.graph_node};
  const Place place =
      PlaceOf(work, run_.Marker(SetName(record.memory), FrameKind::kGpuCopy), node_of);
  Account(work, place);
  const uint32_t stream = places_.Stream(record.context, record.device, record.stream);
  run_.events().sets.Append({span.start, span.end - span.start, place.launch, place.thread.value,
                             place.node.value, stream, Signed(record.bytes), record.memory,
                             record.correlation, static_cast<int64_t>(record.graph_node)});
  run_.AddBusy(process_, places_.Device(record.device), BusyClass::kCopy, span.start, span.end);
}

void GpuIngest::TakeSync(const wire::GpuSyncRecord& record, HostNs now) {
  const Span span = Bounded(record.start, record.end, now);
  const GpuLaunch* launch = launches_.Find(record.correlation);
  run_.events().syncs.Append(
      {span.start, span.end - span.start, launch != nullptr ? launch->thread.value : 0,
       launch != nullptr ? launch->node.value : 0, run_.places().Context(process_, record.context),
       record.type, record.correlation});
}

void GpuIngest::TakeOverhead(const wire::GpuOverheadRecord& record, HostNs now) {
  const Span span = Bounded(record.start, record.end, now);
  run_.events().overheads.Append(
      {span.start, span.end - span.start, process_.value, record.kind, record.tid});
  if (record.kind == kQueueFull) run_.AddQueueFull(process_, span.start, span.end);
}

}  // namespace gprofx
