#include "samplers/cuda/hooks/memory_calls.h"

#include <cstring>

namespace gprofx::cuda {
namespace {

struct Rule {
  const char* name;
  MemoryCall call;
};

// Names without "_ptsz", the suffix of the variants for per-thread streams.
constexpr Rule kRules[] = {
    {"cuMemAlloc_v2", MemoryCall::kAlloc},
    {"cuMemAllocManaged", MemoryCall::kAlloc},
    {"cuMemAllocPitch_v2", MemoryCall::kAllocPitch},
    {"cuMemAllocAsync", MemoryCall::kPoolAlloc},
    {"cuMemAllocFromPoolAsync", MemoryCall::kPoolAlloc},
    {"cuMemFree_v2", MemoryCall::kFree},
    {"cuMemFreeAsync", MemoryCall::kPoolFree},
    {"cuMemCreate", MemoryCall::kCreate},
    {"cuMemRelease", MemoryCall::kRelease},
    {"cuMemMap", MemoryCall::kMap},
    {"cuMemUnmap", MemoryCall::kUnmap},
};

constexpr uint32_t kOnDevice = 1;  // CU_MEM_LOCATION_TYPE_DEVICE

// Reads the start of a CUmemAllocationProp: type, requestedHandleTypes, location {type, id}.
struct Location {
  uint32_t type, device;
};
Location LocationOf(uint64_t properties) {
  uint32_t words[4] = {};
  std::memcpy(words, reinterpret_cast<const void*>(properties), sizeof words);
  return {words[2], words[3]};
}

uint64_t Word(uint64_t pointer) {
  uint64_t value = 0;
  if (pointer != 0) std::memcpy(&value, reinterpret_cast<const void*>(pointer), sizeof value);
  return value;
}

bool TakesMemory(MemoryCall call) {
  return call == MemoryCall::kAlloc || call == MemoryCall::kAllocPitch ||
         call == MemoryCall::kPoolAlloc || call == MemoryCall::kCreate || call == MemoryCall::kMap;
}

}  // namespace

MemoryCall MemoryCallOfName(const char* name) {
  constexpr char kPerThread[] = "_ptsz";
  size_t length = std::strlen(name);
  constexpr size_t kTail = sizeof kPerThread - 1;
  if (length > kTail && std::strcmp(name + length - kTail, kPerThread) == 0) length -= kTail;
  for (const Rule& rule : kRules) {
    if (std::strlen(rule.name) == length && std::strncmp(rule.name, name, length) == 0)
      return rule.call;
  }
  return MemoryCall::kNone;
}

std::optional<wire::MemoryEvent> EventOfCall(MemoryCall call, bool begins, bool failed,
                                             const uint64_t* parameters) {
  if (parameters == nullptr || call == MemoryCall::kNone || failed || begins == TakesMemory(call))
    return std::nullopt;
  wire::MemoryEvent event{};
  event.other = event.reserved = wire::kMemoryUnknown;
  event.address = parameters[0];
  switch (call) {
    case MemoryCall::kAlloc:
    case MemoryCall::kPoolAlloc:
      event.kind = call == MemoryCall::kAlloc ? wire::kMemoryAlloc : wire::kMemoryPoolAlloc;
      event.address = Word(parameters[0]);
      event.bytes = parameters[1];
      break;
    case MemoryCall::kAllocPitch:
      event.kind = wire::kMemoryAlloc;
      event.address = Word(parameters[0]);
      event.bytes = Word(parameters[1]) * parameters[3];
      break;
    case MemoryCall::kFree:
    case MemoryCall::kPoolFree:
      event.kind = call == MemoryCall::kFree ? wire::kMemoryFree : wire::kMemoryPoolFree;
      break;
    case MemoryCall::kCreate: {
      const Location location = parameters[2] != 0 ? LocationOf(parameters[2]) : Location{};
      if (location.type != kOnDevice) return std::nullopt;
      event.kind = wire::kMemoryCreate;
      event.address = Word(parameters[0]);
      event.bytes = parameters[1];
      event.device = static_cast<uint16_t>(location.device);
      break;
    }
    case MemoryCall::kRelease:
      event.kind = wire::kMemoryRelease;
      break;
    case MemoryCall::kMap:
      event.kind = wire::kMemoryMap;
      event.bytes = parameters[1];
      event.other = parameters[3];
      break;
    case MemoryCall::kUnmap:
      event.kind = wire::kMemoryUnmap;
      event.bytes = parameters[1];
      break;
    case MemoryCall::kNone:
      return std::nullopt;
  }
  if (event.address == 0) return std::nullopt;  // an allocation of 0 bytes, or a free of null
  return event;
}

}  // namespace gprofx::cuda
