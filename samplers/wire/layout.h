// What the agent in the target and the collector in gprof-x share: one sparse memory file (memfd)
// that the collector holds.
//
//   [ControlPage 64 KiB][ProcessRegion 0][ProcessRegion 1]...           each region kRegionBytes,
//   only touched pages exist
//   ProcessRegion: [ProcessHeader][ModuleRecord x kMaxModules][arena][NodeRecord x kMaxNodes][hash]
//   [ThreadRing x kMaxThreads][GpuHeader][GPU stream][MarkerHeader][stream of markers]
//   [MemoryHeader][ring of memory events]
//
// POD only, explicit sizes, no pointers, native byte order (both sides run on one machine). A field
// has one writer unless it says otherwise; every field that the other side reads while it may
// change is std::atomic and lock-free. The collector holds the memory, so SIGKILL of the target
// loses nothing that was written. The target never waits for the collector: what finds no room is
// dropped and counted (counters.h). Version: kVersion changes with any layout change; both sides
// come from one build.
#pragma once

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>

#include "samplers/wire/counters.h"
#include "samplers/wire/gpu.h"
#include "samplers/wire/markers.h"
#include "samplers/wire/memory.h"
#include "samplers/wire/not_sampled.h"
#include "samplers/wire/records.h"

namespace gprofx::wire {

constexpr uint64_t kMagic = 0x31302d7866727067;  // "gprfx-01"
constexpr uint32_t kVersion = 18;

// The agent finds the memory by this variable: /proc/PID/fd/N@SOCKET@SECRET@SPOOL.
// N and SPOOL are descriptors of the collector: the memory, and the file for the code of GPU
// modules (empty if there is none). A process that may not open N (another user, other namespaces,
// another root) sends a JoinRequest to the abstract socket SOCKET, which answers with a descriptor.
// Each user has a memory of their own. SECRET is 16 hexadecimal digits: every message begins with
// it.
constexpr char kSessionVariable[] = "GPROFX_SESSION";

constexpr uint32_t kMaxProcesses =
    1024;  // at one time; a region is used again after its process ended and was drained
constexpr uint32_t kNoRegion = UINT32_MAX;
constexpr uint32_t kMaxModules = 4096;
constexpr uint32_t kMaxNodes = 1u << 20;
constexpr uint32_t kHashSlots =
    1u << 22;  // shared by tables of growing size, see samplers/agent/stacks/stack_table.h
constexpr uint32_t kMaxThreads = 4096;   // at one time per process
constexpr uint32_t kRingEntries = 4096;  // power of two; four seconds at 1 kHz
// Of a thread that puts work on a GPU: half a second at 100,000 launches a second. A power of two.
constexpr uint32_t kMaxRingEntries = 65536;
constexpr uint64_t kArenaBytes = 32u << 20;
constexpr uint64_t kArenaUnit =
    16;  // records in the arena are aligned to it; ids are offsets in this unit

// How a thread's CPU clock is turned into signals; decided by the collector, see
// samplers/collector/drain/plan.h.
struct SamplingPlan {
  // 1: clock wall. Threads that run have a sample on their CPU timers, and the collector signals
  // those that wait where nobody sees it
  uint32_t wall_clock;
  uint32_t use_perf;         // 1: perf task-clock may be opened on top of the POSIX timer
  uint32_t python;           // 1: read CPython frames
  uint32_t follow_children;  // 0: fork children are not sampled
  // 1: a thread to which the kernel switches often is to have no perf event
  uint32_t spares_switches;
  uint32_t tick_ns;            // 1e9 / CONFIG_HZ: how often the kernel looks at POSIX CPU timers
  uint64_t posix_period_ns;    // thread CPU time between two expiries of the POSIX timer
  uint64_t perf_period_ns;     // same for the perf event
  uint64_t nominal_period_ns;  // 1e9 / rate that both together give
};

enum PerfState : uint32_t {  // of a thread
  kPerfNone = 0,
  kPerfHandedOver = 1,
  kPerfUnwanted = 2,  // the collector is to close what it has
  kPerfClosed = 3,    // it has
};

enum RegionState : uint32_t {
  kRegionFree = 0,     // collector -> free
  kRegionClaimed = 1,  // an agent took it and fills the header
  kRegionReady = 2,    // the header is valid, samples may come
};

// What the parent of a process learned when it waited for it: the one exact answer to how much CPU
// time a process used, its end in the kernel included. Also sent by a fork child that has no region
// (yet), see samplers/agent/process/process.h.
enum ProcessNoteKind : uint32_t {
  // `pid` was waited for by `from`; cpu_ns = wait4's rusage: with its own waited-for children
  kNoteReaped = 1,
  // `pid` is a fork child of `from`, which has no region yet; cpu_ns: its CPU clock
  kNoteForked = 2,
  kNoteExec = 3,  // ... and is about to become another program
  kNoteEnd = 4,   // ... and is about to end; cpu_ns: its CPU clock
};
struct ProcessNote {
  std::atomic<uint64_t> sequence;  // 1 + the number of this note, once it is written
  ProcessNoteKind kind;
  int32_t pid, from;
  uint32_t reserved;
  int64_t cpu_ns;
  int64_t time_ns;  // since the start of the recording; kNoteForked: ProcessHeader::start_ns
};
constexpr uint32_t kProcessNotes = 2048;  // power of two; older ones are overwritten

// What does not change during a recording. An agent copies and checks it once (FactsAreUsable),
// since any process that shares the memory can write the page.
struct SessionFacts {
  uint64_t magic;
  uint32_t version;
  uint32_t control_bytes;  // sizes as the collector was built with: the agent refuses others
  uint64_t region_bytes;
  int64_t collector_pid;
  // CLOCK_MONOTONIC at the start of the recording; times on the wire are relative to it
  int64_t start_ns;
  uint64_t secret;  // of the session variable
  uint64_t token;   // of this memory: names it in a PerfEventMessage
  SamplingPlan plan;
  GpuPlan gpu;
  uint64_t spool_limit;              // bytes; 0 = there is no spool for this user
  char pid_namespace[32];            // the collector's, as /proc/self/ns/pid says; "" = not known
  uint64_t root_device, root_inode;  // of the collector's "/"
};

struct ControlPage {
  SessionFacts facts;
  std::atomic<uint64_t> spool_used;  // many writers reserve room here; may pass the limit
  // 0: before --delay, after --duration, while told to be off, or the collector is gone. Else
  // samples are wanted, for the so many-th time.
  std::atomic<uint32_t> sampling;
  std::atomic<int64_t> stretch_begin_ns;              // when that began
  std::atomic<uint32_t> processes_without_region;     // many writers
  std::atomic<uint32_t> region_state[kMaxProcesses];  // RegionState; agents CAS free -> claimed
  NotSampledTable not_sampled;                        // many writers
  std::atomic<uint64_t> notes;                        // begun so far; many writers
  ProcessNote note[kProcessNotes];                    // a ring
  std::atomic<uint32_t> gpu_level;  // GpuLevel that all processes shall have; kLevelAuto usually
  // For how many periods of the plan a CPU sample stands (sparse_plan.h); 0: for one.
  std::atomic<uint32_t> periods;
  // 1: nothing will be recorded any more. Each thread's timer ends at its next signal, and CUPTI is
  // left.
  std::atomic<uint32_t> over;
};
constexpr uint64_t kControlBytes = 128 << 10;
static_assert(sizeof(ControlPage) <= kControlBytes);
static_assert(std::atomic<uint64_t>::is_always_lock_free);

// How the process ends, where that is a fault that it does not handle. Written once by one thread,
// just before.
constexpr uint32_t kFaultFrames = 24;
struct FaultNote {
  std::atomic<uint32_t> begun;
  std::atomic<uint32_t> frames;  // of `stack` that are valid; 0 = there was none
  std::atomic<uint32_t> done;    // 1: no more will be written
  int32_t signal, code;          // siginfo_t's
  char thread[16];               // its name
  uint64_t address;              // that was used
  uint64_t stack[kFaultFrames];  // wire frames, the innermost first
};

struct ProcessHeader {
  int64_t pid;
  int64_t parent_pid;
  int64_t start_ns;      // relative to ControlPage::start_ns
  uint32_t forked;       // 1: began by fork from a profiled process, 0: by exec
  uint32_t late;         // 1: ran before the recording came to it; start_cpu_ns is not of it
  char executable[512];  // /proc/self/exe, NUL-terminated, cut if longer
  char command[2048];    // /proc/self/cmdline with its NULs, cut if longer
  uint32_t command_bytes;
  std::atomic<uint32_t> modules;  // records begun; each has its own `ready`
  std::atomic<uint32_t>
      nodes;  // next free node index (may pass kMaxNodes when full); index 0 is the root
  std::atomic<uint64_t> arena_used;    // bytes, may pass kArenaBytes when full
  std::atomic<uint32_t> threads_high;  // thread slots [0, threads_high) were used at least once
  std::atomic<int32_t>
      arm_request;  // collector -> agent: a thread id without a timer; the agent sets it back to 0
  std::atomic<uint64_t> counters[kCounterCount];  // many writers
  std::atomic<uint64_t>
      handler_ns[kHandlerBuckets];  // histogram of handler run time, see HandlerBucket
  // The process as the collector sees it; `pid` is its number in its own PID namespace
  int64_t host_pid;
  // Clocks of the process (all its threads), ns. Continuous over exec: what is between two programs
  // of one process was spent on exec and loading.
  int64_t start_cpu_ns;                  // at the agent's first look
  std::atomic<int64_t> end_cpu_ns;       // at its last one: at the end or before exec; 0 = killed
  std::atomic<int64_t> children_cpu_ns;  // of waited-for children, then
  std::atomic<uint32_t> goes_unsampled;  // 1: it became a program that is not sampled
  FaultNote fault;
};
constexpr uint64_t kHeaderBytes = 64 << 10;
static_assert(sizeof(ProcessHeader) <= kHeaderBytes);

enum ThreadState : uint32_t {
  kThreadFree = 0,    // collector -> free, after it drained an ended one
  kThreadActive = 1,  // agent
  kThreadEnded = 2,   // agent: no more samples will come
};

// Does the thread block kAskSignal? The agent does not know of one that it adopted.
enum AsksState : uint32_t { kAsksOpen = 0, kAsksBlocked = 1, kAsksUnknown = 2 };

struct ThreadRing {
  std::atomic<uint32_t> state;       // agents CAS free -> active
  std::atomic<uint32_t> generation;  // counts the uses of this slot
  int32_t tid;
  // What Python calls the thread: id of a code record that has a name only; 0 = not known
  std::atomic<uint32_t> python_name;
  int64_t start_ns;
  int64_t start_cpu_ns;              // thread CPU clock when sampling began
  std::atomic<int64_t> last_cpu_ns;  // thread CPU clock at the latest sample; at the end once ended
  std::atomic<int64_t> end_ns;       // 0 = runs
  std::atomic<uint32_t>
      last_node;  // node of the latest sample (wall clock: an idle thread is still there)
  std::atomic<uint32_t> perf;        // PerfState
  std::atomic<uint64_t> dropped;     // samples that found the ring full
  std::atomic<uint64_t> dropped_ns;  // their weight
  char name[16];                     // comm at start; refreshed by the agent at the thread's end
  std::atomic<uint64_t> paused_ns;   // weight of samples while there was nothing to record
  std::atomic<uint32_t> asks;        // AsksState
  // 0: the ring has kRingEntries, so that most threads touch no more memory; else 1 + the number of
  // the first entry since it has kMaxRingEntries. Changed by the agent, before it publishes that
  // entry by `head`.
  std::atomic<uint64_t> grown;
  alignas(
      64) std::atomic<uint64_t> head;  // written by the agent only; entries [tail, head) are valid
  alignas(64) std::atomic<uint64_t> tail;  // written by the collector only
  alignas(64) SampleRecord entries[kMaxRingEntries];
};
constexpr uint64_t kRingBytes = 1028 << 10;
static_assert(sizeof(ThreadRing) <= kRingBytes && kRingBytes % 4096 == 0);
constexpr uint32_t kRingsPerBlock = 16;  // the collector maps rings in blocks of this many

constexpr uint32_t RingCapacity(uint64_t grown) {
  return grown == 0 ? kRingEntries : kMaxRingEntries;
}

// Where an entry lies, by its number; within the ring, whatever the target wrote.
constexpr uint32_t RingIndex(uint64_t entry, uint64_t grown) {
  const bool is_later = grown != 0 && entry >= grown - 1;
  return static_cast<uint32_t>(entry % (is_later ? kMaxRingEntries : kRingEntries));
}

// Entries that are unread lie in the first kRingEntries. The next one may be the first of a larger
// ring if it has another place, and as many behind it as there are now: there are no unread ones,
// it lies behind them, or all lie where they would anyway.
constexpr bool RingMayGrow(uint64_t head, uint64_t tail) {
  const uint64_t place = head % kMaxRingEntries;
  return head == tail || (place >= kRingEntries && place <= kMaxRingEntries - kRingEntries) ||
         tail % kMaxRingEntries + (head - tail) <= kRingEntries;
}

// Whether there is a place for the next entry. As long as there are unread ones of before it grew,
// a ring does not go on at its begin.
constexpr bool RingHasRoom(uint64_t head, uint64_t tail, uint64_t grown) {
  if (head - tail >= RingCapacity(grown)) return false;
  if (grown == 0 || tail >= grown - 1) return true;
  return head / kMaxRingEntries == (grown - 1) / kMaxRingEntries;
}

constexpr uint64_t kModulesOffset = kHeaderBytes;
constexpr uint64_t kArenaOffset = kModulesOffset + uint64_t{kMaxModules} * sizeof(ModuleRecord);
constexpr uint64_t kNodesOffset = kArenaOffset + kArenaBytes;
constexpr uint64_t kHashOffset = kNodesOffset + uint64_t{kMaxNodes} * sizeof(NodeRecord);
constexpr uint64_t kRingsOffset = kHashOffset + uint64_t{kHashSlots} * sizeof(uint32_t);
constexpr uint64_t kGpuOffset = kRingsOffset + uint64_t{kMaxThreads} * kRingBytes;
constexpr uint64_t kGpuStreamOffset = kGpuOffset + kGpuHeaderBytes;
constexpr uint64_t kMarkerOffset = kGpuStreamOffset + kGpuStreamBytes;
constexpr uint64_t kMarkerStreamOffset = kMarkerOffset + kMarkerHeaderBytes;
constexpr uint64_t kMemoryOffset = kMarkerStreamOffset + kMarkerStreamBytes;
constexpr uint64_t kMemoryStreamOffset = kMemoryOffset + kMemoryHeaderBytes;
constexpr uint64_t kRegionBytes = kMemoryStreamOffset + kMemoryStreamBytes;
static_assert(kArenaOffset % 4096 == 0 && kNodesOffset % 4096 == 0 && kRingsOffset % 4096 == 0);
static_assert(kGpuOffset % 4096 == 0 && kGpuStreamOffset % 4096 == 0);
static_assert(kRegionBytes % 4096 == 0);

constexpr uint64_t RegionOffset(uint32_t index) { return kControlBytes + index * kRegionBytes; }
constexpr uint64_t FileBytes() { return RegionOffset(kMaxProcesses); }

// Every message begins with the secret: a filter on the socket drops others before they cost
// anything. Sent with the descriptor of a perf event that a thread opened on itself: the collector
// keeps it open for the thread's life, so that no descriptor of ours stays in the target.
struct PerfEventMessage {
  uint64_t secret;
  uint64_t token;
  uint32_t region;
  uint32_t thread;      // slot
  uint32_t generation;  // of the slot
  uint32_t reserved;
};

// Asks for the descriptor of the sender's memory. The answer goes to the address that it came from.
struct JoinRequest {
  uint64_t secret;
  uint64_t reserved;
};
struct JoinReply {  // with the descriptor
  uint64_t secret;
  int64_t host_pid;  // of the process that asked, as the collector sees it
};
static_assert(sizeof(JoinRequest) != sizeof(PerfEventMessage));  // told apart by their size

// What identifies the signals of the agent's timers: sival_ptr, with the slot below.
constexpr uint64_t kTimerCookie = 0x6770726f66780000;

// What the agent's CPU timers send. glibc keeps it for setuid(2) in programs with threads
// (nptl/setxid.h), musl for pthread_cancel(3). Neither lets a program set an action for it,
// sigfillset(3) leaves it out, glibc takes it out of each mask, debuggers pass it on in silence,
// and Go leaves it to libc. The handlers of both do nothing where nobody asked for it.
constexpr int kTickSignal = 33;

// What comes from outside: ticks of perf events, whose signals the kernel may replace by SIGIO
// where they are real-time ones (fs/fcntl.c, send_sigio_to_task), and in wall clock mode those of
// the collector, by rt_tgsigqueueinfo with this value. A process may exec a program without the
// agent at any moment: the signal must be one that is ignored by default.
constexpr int kAskSignal = SIGURG;
constexpr uint64_t kWallSignalCookie = 0x67700000;  // | slot
}  // namespace gprofx::wire
