// A pretended libc10_cuda.so: an allocator that gives out blocks of segments of 2 MB and more,
// rounds to 512 bytes, keeps exact statistics, and reports each block under its lock as PyTorch's
// does.
#include <map>
#include <mutex>

#include "device.h"

namespace {

constexpr uint64_t kRound = 512, kSegment = 2u << 20;
constexpr int kDevices = 4;

struct State {
  std::mutex lock;
  uint64_t next = 0, room = 0;
  uint64_t allocated = 0, reserved = 0, peak = 0, count = 0;
  std::multimap<uint64_t, uint64_t> free_blocks;  // by size
  std::map<uint64_t, uint64_t> blocks;            // size by address
};
State g_states[kDevices];

c10::Device Cuda(int device) { return {c10::DeviceType::CUDA, static_cast<int8_t>(device)}; }

uint64_t Take(State& state, int device, uint64_t size) {
  if (const auto found = state.free_blocks.find(size); found != state.free_blocks.end()) {
    const uint64_t address = found->second;
    state.free_blocks.erase(found);
    return address;
  }
  if (state.room < size) {
    const uint64_t segment = (size + kSegment - 1) / kSegment * kSegment;
    state.next = (uint64_t{0x7f0000000000} + (uint64_t(device) << 36)) + state.reserved;
    state.room = segment;
    state.reserved += segment;
  }
  const uint64_t address = state.next;
  state.next += size;
  state.room -= size;
  return address;
}

}  // namespace

extern "C" {
uint64_t c10_allocate(uint64_t bytes, int device, int is_old) {
  State& state = g_states[device];
  const std::lock_guard guard(state.lock);
  const uint64_t size = (bytes + kRound - 1) / kRound * kRound;
  const uint64_t address = Take(state, device, size);
  state.blocks[address] = size;
  state.allocated += size;
  ++state.count;
  if (state.allocated > state.peak) state.peak = state.allocated;
  auto* block = reinterpret_cast<void*>(address);
  if (is_old != 0) {
    c10::reportMemoryUsageToProfiler(block, static_cast<int64_t>(size), Cuda(device));
  } else {
    c10::reportMemoryUsageToProfiler(block, static_cast<int64_t>(size), state.allocated,
                                     state.reserved, Cuda(device));
  }
  return address;
}

void c10_free(uint64_t address, int device, int is_old) {
  State& state = g_states[device];
  const std::lock_guard guard(state.lock);
  const auto found = state.blocks.find(address);
  if (found == state.blocks.end()) return;
  const uint64_t size = found->second;
  state.blocks.erase(found);
  state.free_blocks.emplace(size, address);
  state.allocated -= size;
  auto* block = reinterpret_cast<void*>(address);
  if (is_old != 0) {
    c10::reportMemoryUsageToProfiler(block, -static_cast<int64_t>(size), Cuda(device));
  } else {
    c10::reportMemoryUsageToProfiler(block, -static_cast<int64_t>(size), state.allocated,
                                     state.reserved, Cuda(device));
  }
}

uint64_t c10_peak(int device) { return g_states[device].peak; }
uint64_t c10_allocated(int device) { return g_states[device].allocated; }
uint64_t c10_reserved(int device) { return g_states[device].reserved; }
uint64_t c10_count(int device) { return g_states[device].count; }

// Allocates and frees so often, from native code only: for what one costs.
void c10_churn(uint64_t times, int device) {
  for (uint64_t i = 0; i < times; ++i)
    c10_free(c10_allocate(512 + i % 8 * 512, device, 0), device, 0);
}
}
