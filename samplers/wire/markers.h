// Ranges and moments that the program names by NVTX, on the wire: what libgprofx-nvtx.so in the
// target tells the collector.
//
// One byte ring per process, written by all threads of the program without a lock. A writer takes
// room by moving `head`, fills it, and sets `bytes` of the record last; free room is zero, so that
// a record with `bytes` = 0 is not finished yet and nothing behind it is read. The collector zeroes
// what it has read before it gives the room back by `tail`. What finds no room is dropped and
// counted: nobody waits. POD, native byte order. Times: ns since ControlPage::start_ns.
#pragma once

#include <atomic>
#include <cstdint>

namespace gprofx::wire {

constexpr uint64_t kMarkerStreamBytes = 16u << 20;  // power of two

struct MarkerHeader {          // page-aligned, behind the GPU stream of a region; zero until used
  std::atomic<uint64_t> head;  // bytes ever taken by writers
  std::atomic<uint64_t> dropped;    // records that found no room
  std::atomic<uint64_t> unmatched;  // ends of ranges that were never begun
  std::atomic<uint64_t> left_out;   // ranges that were too many, while there were no GPU records
  alignas(64) std::atomic<uint64_t> tail;  // bytes ever read; written by the collector only
};
constexpr uint64_t kMarkerHeaderBytes = 4096;
static_assert(sizeof(MarkerHeader) <= kMarkerHeaderBytes);

enum MarkerKind : uint16_t {
  kMarkerPad = 1,  // skip; its first 8 bytes are all of it that is written
  kMarkerPush,
  kMarkerPop,
  kMarkerStart,  // with a number of the range
  kMarkerEnd,    // of the range with that number, by any thread
  kMarkerMoment,
};

// How many pushed ranges of the domain were open in the thread, before a push and after a pop: what
// was lost between them changes nothing of it. `lost` is the least depth of what was lost since the
// thread's last record in the domain: ranges from there on have ended unseen.
constexpr uint16_t kNoDepth = 0xffff;  // not counted: the domain is one too many

struct MarkerRecord {
  std::atomic<uint32_t> bytes;  // of the whole record, a multiple of 8; 0 until it is finished
  uint16_t kind;                // MarkerKind
  uint16_t depth;
  int64_t time;
  uint64_t range;                     // start, end: counts from 1 in each process
  int32_t tid;                        // as the process numbers it
  uint32_t domain;                    // 0 = the default one; numbers of the process
  uint16_t name_bytes, domain_bytes;  // of the texts that follow, UTF-8; none at pops and ends
  uint16_t lost;                      // kNoDepth: nothing
  uint16_t reserved;
};
static_assert(sizeof(MarkerRecord) == 40);
constexpr uint32_t kMaxMarkerText = 256;  // bytes of a name; longer ones are cut
constexpr uint32_t kMaxMarkerRecord = sizeof(MarkerRecord) + 2 * kMaxMarkerText;

}  // namespace gprofx::wire
