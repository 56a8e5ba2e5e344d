#include "samplers/cuda/cupti/translate.h"

#include <cstddef>

#include "samplers/cuda/cupti/fence.h"
#include "samplers/cuda/levels/busy.h"
#include "samplers/cuda/state.h"

namespace gprofx::cuda {
namespace {

// The fields below have the same offsets in Kernel5 to Kernel10 and in Memcpy4 to Memcpy6.
static_assert(offsetof(CUpti_ActivityKernel10, start) == 16);
static_assert(offsetof(CUpti_ActivityKernel10, correlationId) == 92);
static_assert(offsetof(CUpti_ActivityKernel10, name) == 104);
static_assert(offsetof(CUpti_ActivityKernel10, graphNodeId) == 144);
static_assert(offsetof(CUpti_ActivityMemcpy6, graphNodeId) == 64);

// Converts a time of our timestamp callback (CLOCK_MONOTONIC) to wire time, which counts ns from
// the start of the recording.
uint64_t OnWire(uint64_t time) {
  const auto start = static_cast<uint64_t>(g_state.facts().start_ns);
  return time > start ? time - start : 0;
}

// True if the record belongs to an earlier recording of this process. CUPTI may have kept such
// records.
template <class From>
bool IsOfBefore(const From& from) {
  return from.end != 0 && from.end <= static_cast<uint64_t>(g_state.facts().start_ns);
}

void CountWithoutTime(uint64_t start, uint64_t end) {
  if (start == 0 || end == 0) g_state.Count(wire::kGpuRecordsNoTime);
}

// Translates the fields that all kinds of GPU work have in common.
template <class From, class To>
void Work(const From& from, To* to) {
  CountWithoutTime(from.start, from.end);
  to->start = OnWire(from.start);
  to->end = OnWire(from.end);
  to->correlation = g_state.Numbered(from.correlationId);
  to->device = from.deviceId;
  to->context = from.contextId;
  SawWorkIn(from.contextId);
  to->stream = from.streamId;
  to->graph = from.graphId;
  to->graph_node = from.graphNodeId;
}

void Kernel(const CUpti_ActivityKernel10& from, Names& names) {
  if (IsOfBefore(from)) return;
  wire::GpuKernelRecord to{};
  Work(from, &to);
  TheBusyMeter().Add(to.correlation, from.start, from.end);
  to.name = names.Id(from.name);
  to.grid[0] = static_cast<uint32_t>(from.gridX);
  to.grid[1] = static_cast<uint32_t>(from.gridY);
  to.grid[2] = static_cast<uint32_t>(from.gridZ);
  to.block[0] = static_cast<uint32_t>(from.blockX);
  to.block[1] = static_cast<uint32_t>(from.blockY);
  to.block[2] = static_cast<uint32_t>(from.blockZ);
  to.registers = from.registersPerThread;
  to.static_shared = static_cast<uint32_t>(from.staticSharedMemory);
  to.dynamic_shared = static_cast<uint32_t>(from.dynamicSharedMemory);
  to.local = from.localMemoryPerThread;
  WriteRecord(wire::kGpuKernel, to);
}

// Translates a copy. The common fields have the same names in Memcpy6 and MemcpyPtoP4.
template <class From>
void Copy(const From& from) {
  if (IsOfBefore(from)) return;
  wire::GpuCopyRecord to{};
  Work(from, &to);
  to.bytes = from.bytes;
  to.kind = from.copyKind;
  to.source = from.srcKind;
  to.target = from.dstKind;
  to.async = (from.flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC) != 0 ? 1 : 0;
  WriteRecord(wire::kGpuCopy, to);
}

void Set(const CUpti_ActivityMemset4& from) {
  if (IsOfBefore(from)) return;
  wire::GpuSetRecord to{};
  Work(from, &to);
  to.bytes = from.bytes;
  to.memory = from.memoryKind;
  WriteRecord(wire::kGpuSet, to);
}

void Overhead(const CUpti_ActivityOverhead3& from) {
  wire::GpuOverheadRecord to{};
  to.start = OnWire(from.start);
  to.end = OnWire(from.end);
  to.kind = static_cast<uint32_t>(from.overheadKind);
  if (from.objectKind == CUPTI_ACTIVITY_OBJECT_THREAD) to.tid = from.objectId.pt.threadId;
  WriteRecord(wire::kGpuOverhead, to);
}

}  // namespace

void TranslateRecord(const CUpti_Activity& record, Names& names) {
  const void* data = &record;
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_KERNEL:
      Kernel(*static_cast<const CUpti_ActivityKernel10*>(data), names);
      break;
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      Copy(*static_cast<const CUpti_ActivityMemcpy6*>(data));
      break;
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      Copy(*static_cast<const CUpti_ActivityMemcpyPtoP4*>(data));
      break;
    case CUPTI_ACTIVITY_KIND_MEMSET:
      Set(*static_cast<const CUpti_ActivityMemset4*>(data));
      break;
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      Overhead(*static_cast<const CUpti_ActivityOverhead3*>(data));
      break;
    default:
      break;
  }
}

}  // namespace gprofx::cuda
