// Declares how libgprofx-nvtx.so in the target sends the ranges and moments that the program marks
// with NVTX to the collector.
//
// There is one byte ring per process, to which all threads of the program write without a lock. A
// writer reserves room by moving `head`, fills it, and sets `bytes` of the record last. Free room
// is zero. A record with `bytes` = 0 is unfinished, and the reader stops there. The collector sets
// to zero what it has read before it releases the room through `tail`. Records that find no room
// are dropped and counted; no thread waits. POD, native byte order. Times are ns since
// ControlPage::start_ns.
#pragma once

#include <atomic>
#include <cstdint>

namespace gprofx::wire {

constexpr uint64_t kMarkerStreamBytes = 16u << 20;  // power of two

struct MarkerHeader {             // page-aligned, after the GPU stream of a region; zero until used
  std::atomic<uint64_t> head;     // number of bytes reserved by writers so far
  std::atomic<uint64_t> dropped;  // records that found no room
  std::atomic<uint64_t> unmatched;  // ends of ranges that were never begun
  // Ranges that were left out because there were too many of them and no GPU records.
  std::atomic<uint64_t> left_out;
  // Number of bytes read so far; written by the collector only.
  alignas(64) std::atomic<uint64_t> tail;
};
constexpr uint64_t kMarkerHeaderBytes = 4096;
static_assert(sizeof(MarkerHeader) <= kMarkerHeaderBytes);

enum MarkerKind : uint16_t {
  kMarkerPad = 1,  // padding, which readers skip; only its first 8 bytes are written
  kMarkerPush,
  kMarkerPop,
  kMarkerStart,  // has a range number
  kMarkerEnd,    // ends the range with that number; may come from any thread
  kMarkerMoment,
};

// The depth of a record is the number of its domain's pushed ranges that were open in the thread,
// before a push or after a pop. Lost records do not change it. `lost` is the smallest depth among
// the records that were lost since the thread's last record in the domain: ranges from that depth
// on have ended unseen.
constexpr uint16_t kNoDepth = 0xffff;  // the depth is not counted: there are too many domains

struct MarkerRecord {
  std::atomic<uint32_t> bytes;  // size of the whole record, a multiple of 8; 0 until it is finished
  uint16_t kind;                // MarkerKind
  uint16_t depth;
  int64_t time;
  uint64_t range;   // number of the range of a start or end, counted from 1 in each process
  int32_t tid;      // tid in the process's own PID namespace
  uint32_t domain;  // 0 = the default domain; numbered per process
  uint16_t name_bytes, domain_bytes;  // sizes of the UTF-8 texts that follow; 0 for pops and ends
  uint16_t lost;                      // kNoDepth: no record was lost
  uint16_t reserved;
};
static_assert(sizeof(MarkerRecord) == 40);
constexpr uint32_t kMaxMarkerText = 256;  // bytes of a name; longer ones are cut
constexpr uint32_t kMaxMarkerRecord = sizeof(MarkerRecord) + 2 * kMaxMarkerText;

}  // namespace gprofx::wire
