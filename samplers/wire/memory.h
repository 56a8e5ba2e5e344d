// Declares the records of GPU memory: which allocations and frees happened, and on which call path.
//
// There is one ring of records per process, to which all threads of the program write without a
// lock. A writer reserves a position by moving `head`, fills it, and sets `sequence` last. Records
// that find no room are dropped and counted; no thread waits.
//
// The ring has the order of the events, because a framework's allocator reports them under its own
// lock. A free by the driver is written before the driver call, an allocation after it. So an
// address is never recorded as allocated again before its free is recorded. POD, native byte order.
// Times are ns since ControlPage::start_ns.
#pragma once

#include <atomic>
#include <cstdint>

namespace gprofx::wire {

constexpr uint64_t kMemoryRecords = 1u << 18;  // power of two

struct MemoryHeader {             // page-aligned, after the markers of a region; zero until used
  std::atomic<uint64_t> head;     // number of records begun so far
  std::atomic<uint64_t> dropped;  // records that found no room; not included in `head`
  // Number of records read so far; written by the collector only.
  alignas(64) std::atomic<uint64_t> tail;
};
constexpr uint64_t kMemoryHeaderBytes = 4096;
static_assert(sizeof(MemoryHeader) <= kMemoryHeaderBytes);

enum MemoryKind : uint16_t {
  kMemoryAlloc = 1,  // cuMemAlloc and its variants
  kMemoryFree,
  kMemoryPoolAlloc,  // cuMemAllocAsync: from a pool of the driver
  kMemoryPoolFree,
  kMemoryCreate,   // cuMemCreate: physical memory, `address` is its handle
  kMemoryRelease,  // the handle is released; the memory is freed when nothing is mapped to it
  kMemoryMap,      // `bytes` at `address`; `other` is the handle
  kMemoryUnmap,
  kMemoryBlock,      // block of a framework's allocator; bytes and totals are given
  kMemoryBlockFree,  // `bytes` is the size of the block
};

constexpr uint64_t kMemoryUnknown = UINT64_MAX;  // a total that is not given

struct MemoryRecord {
  // 1 + the number of this record, stored when the record is complete.
  std::atomic<uint64_t> sequence;
  int64_t time;
  uint64_t address;
  uint64_t bytes;  // 0 where a free does not give it
  uint64_t other;  // kMemoryMap: the handle; blocks: total bytes that the allocator has handed out
  uint64_t reserved;  // blocks: total bytes that the allocator has reserved, or kMemoryUnknown
  uint32_t node;      // stack node of the call; 0 = unknown
  int32_t tid;        // thread id in the process's own PID namespace
  uint32_t context;   // driver calls: CUPTI's context number; 0 = `device` is given
  uint16_t kind;      // MemoryKind
  uint16_t device;    // number that the process uses for the device
};
static_assert(sizeof(MemoryRecord) == 64);
constexpr uint64_t kMemoryStreamBytes = kMemoryRecords * sizeof(MemoryRecord);

}  // namespace gprofx::wire
