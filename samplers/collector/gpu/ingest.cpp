#include "samplers/collector/gpu/ingest.h"

#include <algorithm>

#include "samplers/collector/gpu/decode.h"
#include "samplers/wire/gpu.h"

namespace gprofx {

GpuIngest::GpuIngest(GpuRun& run, ProcessId process)
    : run_(run),
      process_(process),
      names_(run.profile()),
      places_(run.places(), process),
      captures_(run.profile()),
      pc_(run, names_) {}

void GpuIngest::Launch(ThreadId thread, HostNs time, NodeId node, uint32_t correlation) {
  run_.MarkThread(thread);
  launches_.Add(correlation, thread, node, time);
}

void GpuIngest::Call(ThreadId thread, HostNs time, NodeId node, uint32_t call, uint32_t ns) {
  calls_.Add(thread, node, call, time, ns, [this](const GpuCallTime& whole) { TakeCall(whole); });
}

void GpuIngest::TakeCall(const GpuCallTime& call) {
  const GpuMetrics& metrics = run_.metrics();
  Profile& profile = run_.profile();
  const std::string name = wire::GpuCallName(call.call);
  if (name.empty()) return run_.CountBad();
  NodeId node = call.node;
  if (wire::IsWaitingCall(call.call)) {
    node = run_.Child(node, run_.Marker(name, FrameKind::kCudaApi));
    profile.AddSelf(node, call.thread, metrics.wait, call.end - call.begin);
    run_.AddWait(process_, name, call.begin, call.end);
  }
  run_.events().calls.Append({call.begin, call.end - call.begin, call.thread.value, node.value,
                              profile.Intern(name).value});
}

void GpuIngest::Record(std::span<const std::byte> record, HostNs now, const WireNodeOf& node_of) {
  run_.metrics();  // there is a GPU side from now on
  if (!Take(record, now, node_of)) run_.CountBad();
}

// False: the record makes no sense.
bool GpuIngest::Take(std::span<const std::byte> record, HostNs now, const WireNodeOf& node_of) {
  switch (GpuTypeOf(record)) {
    case wire::kGpuKernel:
      if (const auto r = DecodeGpu<wire::GpuKernelRecord>(record)) {
        return TakeKernel(*r, now, node_of), true;
      }
      return false;
    case wire::kGpuCopy:
      if (const auto r = DecodeGpu<wire::GpuCopyRecord>(record)) {
        return TakeCopy(*r, now, node_of), true;
      }
      return false;
    case wire::kGpuSet:
      if (const auto r = DecodeGpu<wire::GpuSetRecord>(record)) {
        return TakeSet(*r, now, node_of), true;
      }
      return false;
    case wire::kGpuSync:
      if (const auto r = DecodeGpu<wire::GpuSyncRecord>(record)) return TakeSync(*r, now), true;
      return false;
    case wire::kGpuOverhead:
      if (const auto r = DecodeGpu<wire::GpuOverheadRecord>(record)) {
        return TakeOverhead(*r, now), true;
      }
      return false;
    case wire::kGpuName:
    case wire::kGpuStall:
    case wire::kGpuNotice:
    case wire::kGpuFact:
      return TakeText(record);
    case wire::kGpuDevice:
      return TakeDevice(record);
    case wire::kGpuContext:
      if (const auto r = DecodeGpu<wire::GpuContextRecord>(record)) {
        return places_.AddContext(r->context, r->device), true;
      }
      return false;
    case wire::kGpuModule:
      if (const auto r = DecodeGpu<wire::GpuModuleRecord>(record)) {
        return run_.AddModule(*r), true;
      }
      return false;
    case wire::kGpuGraphNode:
      if (const auto r = DecodeGpu<wire::GpuGraphNodeRecord>(record)) return captures_.Add(*r);
      return false;
    case wire::kGpuPcWindow:
      return pc_.AddWindow(record, now);
    case wire::kGpuPc:
      return pc_.AddRecord(record);
    default:
      return false;
  }
}

bool GpuIngest::TakeText(std::span<const std::byte> record) {
  const auto head = DecodeGpu<wire::GpuTextRecord>(record);
  if (!head) return false;
  const auto text = TextBehind<wire::GpuTextRecord>(record, head->length);
  if (!text) return false;
  switch (head->header.type) {
    case wire::kGpuName:
      return names_.Add(head->id, *text);
    case wire::kGpuStall:
      return pc_.AddStallName(head->id, *text);
    case wire::kGpuNotice:
      run_.AddNotice(head->id, *text);
      return true;
    default:
      run_.AddFact(*text);
      return true;
  }
}

bool GpuIngest::TakeDevice(std::span<const std::byte> record) {
  const auto device = DecodeGpu<wire::GpuDeviceRecord>(record);
  if (!device) return false;
  const auto name = TextBehind<wire::GpuDeviceRecord>(record, device->name_length);
  if (!name) return false;
  places_.AddDevice(*device, *name);
  return true;
}

void GpuIngest::Finish() {
  calls_.Finish([this](const GpuCallTime& whole) { TakeCall(whole); });
  pc_.Finish();
}

}  // namespace gprofx
