// GPU memory on the wire: what was allocated and given back, by which call path.
//
// One ring of records per process, written by all threads of the program without a lock: a writer
// takes a place by moving `head`, fills it, and sets `sequence` last. What finds no room is dropped
// and counted: nobody waits. The order of the ring is that of the events: an allocator reports
// under its own lock, and a free of the driver is written before the call, an allocation after it,
// so an address is never given out before it was given back. POD, native byte order. Times: ns
// since ControlPage::start_ns.
#pragma once

#include <atomic>
#include <cstdint>

namespace gprofx::wire {

constexpr uint64_t kMemoryRecords = 1u << 18;  // power of two

struct MemoryHeader {             // page-aligned, behind the markers of a region; zero until used
  std::atomic<uint64_t> head;     // records ever begun
  std::atomic<uint64_t> dropped;  // ... that found no room: not among them
  alignas(64) std::atomic<uint64_t> tail;  // records ever read; written by the collector only
};
constexpr uint64_t kMemoryHeaderBytes = 4096;
static_assert(sizeof(MemoryHeader) <= kMemoryHeaderBytes);

enum MemoryKind : uint16_t {
  kMemoryAlloc = 1,  // cuMemAlloc and its variants
  kMemoryFree,
  kMemoryPoolAlloc,  // cuMemAllocAsync: out of a pool of the driver's
  kMemoryPoolFree,
  kMemoryCreate,   // cuMemCreate: physical memory, `address` is its handle
  kMemoryRelease,  // of a handle: its memory goes when nothing is mapped to it any more
  kMemoryMap,      // `bytes` at `address`; `other` is the handle
  kMemoryUnmap,
  kMemoryBlock,      // of a framework's allocator; bytes, totals are said
  kMemoryBlockFree,  // `bytes` is what the block had
};

constexpr uint64_t kMemoryUnknown = UINT64_MAX;  // a total that is not said

struct MemoryRecord {
  std::atomic<uint64_t> sequence;  // 1 + the number of this record, once it is written
  int64_t time;
  uint64_t address;
  uint64_t bytes;     // 0 where a free does not say
  uint64_t other;     // kMemoryMap: the handle; of blocks: what the allocator has given out
  uint64_t reserved;  // of blocks: what the allocator holds; kMemoryUnknown
  uint32_t node;      // of the call; 0 = unknown
  int32_t tid;        // as the process numbers it
  uint32_t context;   // of the driver's calls, as CUPTI counts them; 0 = `device` is said
  uint16_t kind;      // MemoryKind
  uint16_t device;    // as the process counts them
};
static_assert(sizeof(MemoryRecord) == 64);
constexpr uint64_t kMemoryStreamBytes = kMemoryRecords * sizeof(MemoryRecord);

}  // namespace gprofx::wire
