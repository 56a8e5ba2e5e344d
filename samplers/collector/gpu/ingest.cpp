#include "samplers/collector/gpu/ingest.h"

#include <optional>

#include "samplers/collector/gpu/decode.h"
#include "samplers/collector/gpu/plain.h"
#include "samplers/wire/gpu.h"

namespace gprofx {

GpuIngest::GpuIngest(Profile& profile, GpuRun& run, ProcessId process)
    : run_(run),
      builder_(run, profile, process),
      names_(run),
      pc_(profile, run, names_),
      memory_(builder_) {}

void GpuIngest::Launch(ThreadId thread, HostNs time, NodeId node, uint32_t correlation) {
  builder_.AddLaunch({correlation, thread, node, time});
  run_.AddLaunching(thread);
}

void GpuIngest::Call(ThreadId thread, HostNs time, NodeId node, uint32_t call, uint32_t ns) {
  calls_.Add(thread, node, call, time, ns, [this](const GpuCallTime& whole) { TakeCall(whole); });
}

void GpuIngest::TakeCall(const GpuCallTime& call) {
  run_.metrics();  // creates the GPU metrics
  const std::string name = wire::GpuCallName(call.call);
  if (name.empty()) return run_.CountBad();
  builder_.AddCall(
      {call.thread, call.node, name, call.begin, call.end, wire::IsWaitingCall(call.call)});
}

void GpuIngest::TakeKernel(const wire::GpuKernelRecord& record, HostNs now,
                           const StackOf& stack_of) {
  const KernelName& name = names_.Find(record.name);
  const GpuKernel kernel = PlainKernel(record, name.shown, now);
  const std::optional<GpuPlace> place = builder_.AddKernel(kernel, stack_of);
  if (!place) return;
  pc_.AddKernel(PcIngest::KeyOf(record.context, name), kernel.work.start, kernel.work.end,
                {place->node, place->thread}, builder_.ResidentWarps(kernel));
}

void GpuIngest::Record(std::span<const std::byte> record, HostNs now, const Known& known) {
  run_.metrics();
  if (!Take(record, now, known)) run_.CountBad();
}

// Processes a record of the stream. Returns false if the record is invalid.
bool GpuIngest::Take(std::span<const std::byte> record, HostNs now, const Known& known) {
  switch (GpuTypeOf(record)) {
    case wire::kGpuKernel:
      if (const auto r = DecodeGpu<wire::GpuKernelRecord>(record)) {
        return TakeKernel(*r, now, known.stack_of), true;
      }
      return false;
    case wire::kGpuCopy:
      if (const auto r = DecodeGpu<wire::GpuCopyRecord>(record)) {
        return builder_.AddCopy(PlainCopy(*r, now), known.stack_of), true;
      }
      return false;
    case wire::kGpuSet:
      if (const auto r = DecodeGpu<wire::GpuSetRecord>(record)) {
        return builder_.AddSet(PlainSet(*r, now), known.stack_of), true;
      }
      return false;
    case wire::kGpuSync:
      if (const auto r = DecodeGpu<wire::GpuSyncRecord>(record)) {
        return builder_.AddSync(PlainSync(*r, now)), true;
      }
      return false;
    case wire::kGpuOverhead:
      if (const auto r = DecodeGpu<wire::GpuOverheadRecord>(record)) {
        return builder_.AddOverhead(PlainOverhead(*r, now)), true;
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
        memory_.AddContext(r->context, r->device);
        return builder_.AddContext(r->context, r->device), true;
      }
      return false;
    case wire::kGpuModule:
      if (const auto r = DecodeGpu<wire::GpuModuleRecord>(record)) {
        return run_.AddModule(*r), true;
      }
      return false;
    case wire::kGpuGraphNode:
      if (const auto r = DecodeGpu<wire::GpuGraphNodeRecord>(record)) {
        return builder_.AddGraphNode(PlainGraphNode(*r));
      }
      return false;
    case wire::kGpuLevelChange:
      if (const auto r = DecodeGpu<wire::GpuLevelRecord>(record))
        return TakeLevel(PlainLevel(*r, now)), true;
      return false;
    case wire::kGpuEnvironment:
      if (const auto r = DecodeGpu<wire::GpuEnvironmentRecord>(record)) {
        return builder_.AddEnvironment(PlainEnvironment(*r, now), r->device), true;
      }
      return false;
    case wire::kGpuWait:
      if (const auto r = DecodeGpu<wire::GpuWaitRecord>(record))
        return TakeWait(*r, now, known), true;
      return false;
    case wire::kGpuPcWindow:
      return pc_.AddWindow(record, now);
    case wire::kGpuPc:
      return pc_.AddRecord(record);
    default:
      return false;
  }
}

void GpuIngest::TakeLevel(const GpuLevelChange& change) {
  builder_.EndLevel(change.left, change.launches_left);
  builder_.BeginLevel(change.entered, change.recording, change.traced, change.launches);
}

void GpuIngest::TakeWait(const wire::GpuWaitRecord& record, HostNs now, const Known& known) {
  const ThreadId thread = known.thread_of(record.slot, record.generation);
  if (!thread) return;
  builder_.AddWaitPlace(PlainWait(record, thread, known.stack_of(record.node), now));
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
  builder_.AddDevice(device->device, PlainDevice(*device, *name));
  return true;
}

void GpuIngest::Finish(HostNs end, int64_t launches) {
  run_.CountBad(memory_.bad());
  builder_.Finish(end, launches);
  calls_.Finish([this](const GpuCallTime& whole) { TakeCall(whole); });
  pc_.Finish();
}

}  // namespace gprofx
