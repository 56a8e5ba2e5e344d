#include "samplers/agent/calls/memory_ring.h"

#include <sys/mman.h>

#include <atomic>

#include "samplers/agent/libc/raw_syscall.h"
#include "samplers/agent/process/session.h"

namespace gprofx::agent {
namespace {

constexpr uint64_t kBytes = wire::kMemoryHeaderBytes + wire::kMemoryStreamBytes;
constexpr int kTries = 64;  // max attempts to reserve a record while other threads reserve some too

constinit std::atomic<uint8_t*> g_ring{nullptr};  // header of the ring; the records follow it

constinit std::atomic<int> g_failures{0};
// After this many failed mappings, Ring no longer tries. Each attempt delays the program's
// allocator.
constexpr int kMaxFailures = 8;

// Returns the memory ring of this process. Maps it on the first call. Returns null if it cannot be
// mapped.
uint8_t* Ring() {
  if (uint8_t* known = g_ring.load(std::memory_order_acquire)) return known;
  if (g_failures.load(std::memory_order_relaxed) >= kMaxFailures) return nullptr;
  const uint64_t offset = wire::RegionOffset(g_session.region()) + wire::kMemoryOffset;
  auto* mapped = static_cast<uint8_t*>(g_session.MapAgain(offset, kBytes, Session::Ask::kNo));
  if (mapped == nullptr) {
    g_failures.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  uint8_t* others = nullptr;
  if (g_ring.compare_exchange_strong(others, mapped)) return mapped;
  munmap(mapped, kBytes);
  return others;
}

}  // namespace

bool PutMemoryRecord(wire::MemoryHeader* header, wire::MemoryRecord* ring,
                     const wire::MemoryEvent& event, uint32_t node, int32_t tid, int64_t time) {
  for (int i = 0; i < kTries; ++i) {
    // Read the tail before the head. If the collector moves the tail meanwhile, the ring has more
    // room than computed, never less.
    const uint64_t tail = header->tail.load(std::memory_order_acquire);
    uint64_t head = header->head.load(std::memory_order_relaxed);
    if (head - tail >= wire::kMemoryRecords) break;
    if (!header->head.compare_exchange_weak(head, head + 1, std::memory_order_acq_rel,
                                            std::memory_order_relaxed))
      continue;
    wire::MemoryRecord& record = ring[head % wire::kMemoryRecords];
    record.time = time;
    record.address = event.address;
    record.bytes = event.bytes;
    record.other = event.other;
    record.reserved = event.reserved;
    record.node = node;
    record.tid = tid;
    record.context = event.context;
    record.kind = event.kind;
    record.device = event.device;
    record.sequence.store(head + 1, std::memory_order_release);
    return true;
  }
  header->dropped.fetch_add(1, std::memory_order_relaxed);
  return false;
}

void ForgetMemoryRing() {
  g_ring.store(nullptr, std::memory_order_relaxed);
  g_failures.store(0, std::memory_order_relaxed);
}

void WriteMemoryEvent(const wire::MemoryEvent& event, uint32_t node, const ThreadState* state) {
  if (!g_session.joined() || g_session.postponed() || g_session.over()) return;
  uint8_t* at = Ring();
  if (at == nullptr) return;
  const int32_t tid =
      state != nullptr ? state->ring->tid : static_cast<int32_t>(RawSyscall(SYS_gettid));
  PutMemoryRecord(reinterpret_cast<wire::MemoryHeader*>(at),
                  reinterpret_cast<wire::MemoryRecord*>(at + wire::kMemoryHeaderBytes), event, node,
                  tid, g_session.Now());
}

}  // namespace gprofx::agent
