// Records each block that PyTorch's caching allocator hands out or takes back, without changing
// PyTorch.
//
// libc10_cuda.so always reports blocks to a function of libc10.so, which the loader finds by name.
// This library is preloaded, so its function of that name is found first. It writes an event and
// calls PyTorch's own function with the same arguments.
//
// Called on any thread with the allocator's lock held. Takes no lock, allocates nothing and never
// waits. Only blocks of CUDA devices become events.
#include <cstdint>

#include "samplers/memory/real_function.h"
#include "samplers/wire/agent_entry.h"

// The agent, which is preloaded too, defines this function. Null if there is no agent.
extern "C" __attribute__((weak)) const gprofx::wire::AgentEntry* gprofx_agent_entry(
    uint32_t version);

namespace gprofx::memory {
namespace {

constexpr char kReport[] = "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE";
constexpr char kOldReport[] = "_ZN3c1027reportMemoryUsageToProfilerEPvlNS_6DeviceE";
constexpr uint8_t kCuda = 1;  // c10::DeviceType

constinit std::atomic<const wire::AgentEntry*> g_agent{nullptr};
constinit RealFunction g_report, g_old_report;

const wire::AgentEntry* Agent() {
  const wire::AgentEntry* agent = g_agent.load(std::memory_order_acquire);
  if (agent != nullptr || gprofx_agent_entry == nullptr) return agent;
  agent = gprofx_agent_entry(wire::kAgentEntryVersion);
  g_agent.store(agent, std::memory_order_release);
  return agent;
}

// Writes an event for a block. `device` is a c10::Device as it is passed in a register: the type in
// the lowest byte, the index in the next.
__attribute__((noinline)) void Tell(void* block, int64_t bytes, uint64_t allocated,
                                    uint64_t reserved, uint64_t device) {
  if ((device & 0xff) != kCuda || bytes == 0) return;
  const wire::AgentEntry* agent = Agent();
  if (agent == nullptr) return;
  wire::MemoryEvent event{};
  event.kind = bytes > 0 ? wire::kMemoryBlock : wire::kMemoryBlockFree;
  event.device = static_cast<uint16_t>(device >> 8 & 0xff);
  event.address = reinterpret_cast<uint64_t>(block);
  event.bytes =
      bytes > 0 ? static_cast<uint64_t>(bytes) : uint64_t{0} - static_cast<uint64_t>(bytes);
  event.other = allocated;
  event.reserved = reserved;
  event.take_stack = true;
  agent->memory(event);
}

}  // namespace
}  // namespace gprofx::memory

#define GPROFX_EXPORT extern "C" __attribute__((visibility("default")))

// Replaces c10::reportMemoryUsageToProfiler(void*, int64_t, size_t, size_t, c10::Device). `device`
// is the whole register in which the device is passed; its upper bits are passed on unchanged.
GPROFX_EXPORT void _ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE(void* block, int64_t bytes,
                                                                         uint64_t allocated,
                                                                         uint64_t reserved,
                                                                         uint64_t device) {
  using namespace gprofx::memory;
  Tell(block, bytes, allocated, reserved, device);
  using Function = void (*)(void*, int64_t, uint64_t, uint64_t, uint64_t);
  if (const auto real = g_report.As<Function>(kReport))
    real(block, bytes, allocated, reserved, device);
}

// Replaces PyTorch's function before 1.10, which has no totals.
GPROFX_EXPORT void _ZN3c1027reportMemoryUsageToProfilerEPvlNS_6DeviceE(void* block, int64_t bytes,
                                                                       uint64_t device) {
  using namespace gprofx::memory;
  Tell(block, bytes, gprofx::wire::kMemoryUnknown, gprofx::wire::kMemoryUnknown, device);
  using Function = void (*)(void*, int64_t, uint64_t);
  if (const auto real = g_old_report.As<Function>(kOldReport)) real(block, bytes, device);
}
