// The memory that the agent in the target and the collector in gprof-x share. It is one sparse
// memory file (memfd), which the collector holds open.
//
//   [ControlPage 128 KiB][ProcessRegion 0][ProcessRegion 1]...
//   ProcessRegion: [ProcessHeader][ModuleRecord x kMaxModules][arena][NodeRecord x kMaxNodes][hash]
//   [ThreadRing x kMaxThreads][GpuHeader][GPU stream][MarkerHeader][stream of markers]
//   [MemoryHeader][ring of memory events]
// Each region has kRegionBytes; only pages that were touched use memory.
//
// POD only, explicit sizes, no pointers, native byte order (both sides run on one machine). Unless
// stated otherwise, a field has only one writer. Every field that the other side reads while it may
// change is std::atomic and lock-free. The collector holds the memory, so nothing that was written
// is lost if the target gets SIGKILL. The target never waits for the collector: data that finds no
// room is dropped and counted (counters.h). kVersion changes with any change of the layout. Both
// sides come from one build.
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

// The environment variable by which the agent finds the memory. Its value is
// /proc/PID/fd/N@SOCKET@SECRET@SPOOL.
//
// PID is the collector's. N and SPOOL are descriptors of the collector: the memory, and the file
// for the code of GPU modules (empty if there is none). A process that may not open N (another
// user, other namespaces, another root) sends a JoinRequest to the abstract socket SOCKET, which
// answers with a descriptor. Each user has a separate memory. SECRET is 16 hexadecimal digits;
// every message begins with it.
constexpr char kSessionVariable[] = "GPROFX_SESSION";

constexpr uint32_t kMaxProcesses =
    1024;  // at one time; a region is reused after its process has ended and was drained
constexpr uint32_t kNoRegion = UINT32_MAX;
constexpr uint32_t kMaxModules = 4096;
constexpr uint32_t kMaxNodes = 1u << 20;
constexpr uint32_t kHashSlots =
    1u << 22;  // shared by tables of growing size (samplers/agent/stacks/stack_table.h)
constexpr uint32_t kMaxThreads = 4096;   // max threads of a process at one time
constexpr uint32_t kRingEntries = 4096;  // power of two; four seconds at 1 kHz
// Size of the ring of a thread that launches GPU work, after it has grown: half a second at 100,000
// launches a second. A power of two.
constexpr uint32_t kMaxRingEntries = 65536;
constexpr uint64_t kArenaBytes = 32u << 20;
constexpr uint64_t kArenaUnit =
    16;  // alignment of records in the arena in bytes; ids are offsets in this unit

// How a thread's CPU clock is turned into signals. The collector makes the plan
// (samplers/collector/drain/plan.h).
struct SamplingPlan {
  // 1: wall-clock mode. Running threads are sampled by their CPU timers. To a waiting thread the
  // collector sends a signal, if the program cannot notice it.
  uint32_t wall_clock;
  uint32_t use_perf;  // 1: a perf task-clock event may be opened in addition to the POSIX timer
  uint32_t python;    // 1: read CPython frames
  uint32_t follow_children;  // 0: fork children are not sampled
  // 1: a thread to which the kernel often switches gets no perf event.
  uint32_t spares_switches;
  uint32_t tick_ns;            // 1e9 / CONFIG_HZ: how often the kernel checks POSIX CPU timers
  uint64_t posix_period_ns;    // thread CPU time between two expiries of the POSIX timer
  uint64_t perf_period_ns;     // thread CPU time between two samples of the perf event
  uint64_t nominal_period_ns;  // 1e9 / combined rate of timer and perf event
};

enum PerfState : uint32_t {  // state of a thread's perf event
  kPerfNone = 0,
  kPerfHandedOver = 1,
  kPerfUnwanted = 2,  // the collector must close the event
  kPerfClosed = 3,    // the collector closed it
};

enum RegionState : uint32_t {
  kRegionFree = 0,     // set by the collector
  kRegionClaimed = 1,  // an agent took it and fills the header
  kRegionReady = 2,    // the header is valid; samples may be written
};

// What a process reports about another one, or about itself. Only the parent, when it waits for a
// process, learns the exact CPU time of that process, including its end in the kernel. Fork
// children without a region also write notes (samplers/agent/process/process.h).
enum ProcessNoteKind : uint32_t {
  // `from` has waited for `pid`. cpu_ns is from the rusage of wait4, which includes the children
  // that `pid` waited for.
  kNoteReaped = 1,
  // `pid` is a fork child of `from` and has no region yet. cpu_ns is its CPU clock.
  kNoteForked = 2,
  // `pid`, a fork child without a region, is about to exec another program.
  kNoteExec = 3,
  // `pid`, a fork child without a region, is about to end. cpu_ns is its CPU clock.
  kNoteEnd = 4,
};
struct ProcessNote {
  std::atomic<uint64_t> sequence;  // 1 + the number of this note, stored when the note is complete
  ProcessNoteKind kind;
  int32_t pid, from;
  uint32_t reserved;
  int64_t cpu_ns;
  int64_t time_ns;  // since the start of the recording; kNoteForked: ProcessHeader::start_ns
};
constexpr uint32_t kProcessNotes = 2048;  // power of two; newer notes overwrite older ones

// Facts that stay the same during a recording. An agent copies and checks them once
// (FactsAreUsable), because any process that shares the memory can write to the page.
struct SessionFacts {
  uint64_t magic;
  uint32_t version;
  uint32_t control_bytes;  // size in the collector's build; the agent refuses any other
  uint64_t region_bytes;
  int64_t collector_pid;
  // CLOCK_MONOTONIC at the start of the recording. Times on the wire are relative to it.
  int64_t start_ns;
  uint64_t secret;  // the SECRET of the session variable
  uint64_t token;   // identifies this memory in a PerfEventMessage
  SamplingPlan plan;
  GpuPlan gpu;
  uint64_t spool_limit;    // bytes; 0 = this user has no spool
  char pid_namespace[32];  // the collector's PID namespace, from /proc/self/ns/pid; "" = unknown
  uint64_t root_device, root_inode;  // identity of the collector's root directory
};

struct ControlPage {
  SessionFacts facts;
  // Bytes that writers have reserved in the spool; may exceed the limit.
  std::atomic<uint64_t> spool_used;
  // 0 if sampling is off: before --delay, after --duration, while it is switched off, and after the
  // end of the collector. Otherwise the number of the present recorded period, counted from 1.
  std::atomic<uint32_t> sampling;
  std::atomic<int64_t> stretch_begin_ns;              // start of the present recorded period
  std::atomic<uint32_t> processes_without_region;     // many writers
  std::atomic<uint32_t> region_state[kMaxProcesses];  // RegionState; agents CAS free -> claimed
  NotSampledTable not_sampled;                        // many writers
  std::atomic<uint64_t> notes;                        // number of notes begun so far; many writers
  ProcessNote note[kProcessNotes];                    // a ring
  std::atomic<uint32_t> gpu_level;  // GpuLevel that all processes should have; default kLevelAuto
  // Number of plan periods that a CPU sample represents (sparse_plan.h); 0 means 1.
  std::atomic<uint32_t> periods;
  // 1: the recording has ended for good. Each thread's timer ends at its next signal, and CUPTI is
  // released.
  std::atomic<uint32_t> over;
};
constexpr uint64_t kControlBytes = 128 << 10;
static_assert(sizeof(ControlPage) <= kControlBytes);
static_assert(std::atomic<uint64_t>::is_always_lock_free);

// A fault that ends the process because the program does not handle it. One thread writes the note
// once, just before the end.
constexpr uint32_t kFaultFrames = 24;
struct FaultNote {
  std::atomic<uint32_t> begun;
  std::atomic<uint32_t> frames;  // number of valid entries of `stack`; 0 = no stack
  std::atomic<uint32_t> done;    // 1: nothing more will be written
  int32_t signal, code;          // siginfo_t's
  char thread[16];               // name of the faulting thread
  uint64_t address;              // faulting address
  uint64_t stack[kFaultFrames];  // wire frames, innermost first
};

struct ProcessHeader {
  int64_t pid;
  int64_t parent_pid;
  int64_t start_ns;  // relative to ControlPage::start_ns
  uint32_t forked;   // 1: forked from a profiled process, 0: started by exec
  uint32_t late;     // 1: the agent entered the process while it ran; start_cpu_ns does not apply
  char executable[512];  // /proc/self/exe, NUL-terminated, cut if longer
  char command[2048];    // /proc/self/cmdline with its NULs, cut if longer
  uint32_t command_bytes;
  std::atomic<uint32_t> modules;  // records that were begun; each has its own `ready`
  std::atomic<uint32_t>
      nodes;  // number of nodes allocated (may exceed kMaxNodes when full); node 0 is the root
  std::atomic<uint64_t> arena_used;    // bytes; may exceed kArenaBytes when full
  std::atomic<uint32_t> threads_high;  // thread slots [0, threads_high) were used at least once
  // From the collector to the agent: id of a thread without a timer, which the agent is to adopt.
  // The agent resets it to 0.
  std::atomic<int32_t> arm_request;
  std::atomic<uint64_t> counters[kCounterCount];  // many writers
  std::atomic<uint64_t>
      handler_ns[kHandlerBuckets];  // histogram of handler run time, see HandlerBucket
  // The PID as the collector sees it. `pid` is the PID in the process's own PID namespace.
  int64_t host_pid;
  // CPU clocks of the process (all its threads), in ns. They continue over an exec. The time
  // between two programs of one process was spent on exec and loading.
  int64_t start_cpu_ns;  // when the agent first read it
  // The clock when the agent last read it, at the end or before an exec; 0 = the process was
  // killed.
  std::atomic<int64_t> end_cpu_ns;
  // CPU time of the children that the process had waited for when end_cpu_ns was read.
  std::atomic<int64_t> children_cpu_ns;
  // 1: the process called exec, and the new program is not sampled.
  std::atomic<uint32_t> goes_unsampled;
  FaultNote fault;
};
constexpr uint64_t kHeaderBytes = 64 << 10;
static_assert(sizeof(ProcessHeader) <= kHeaderBytes);

enum ThreadState : uint32_t {
  kThreadFree = 0,    // set by the collector after it drained an ended thread
  kThreadActive = 1,  // set by the agent
  kThreadEnded = 2,   // set by the agent: no more samples will be written
};

// Whether the thread blocks kAskSignal. kAsksUnknown: the agent adopted the thread (AdoptThread in
// samplers/agent/process/threads.h) and does not know that.
enum AsksState : uint32_t { kAsksOpen = 0, kAsksBlocked = 1, kAsksUnknown = 2 };

struct ThreadRing {
  std::atomic<uint32_t> state;       // agents CAS free -> active
  std::atomic<uint32_t> generation;  // number of times that this slot was used
  int32_t tid;
  // Id of a code record that contains only the thread's name in Python; 0 = no such name is known.
  std::atomic<uint32_t> python_name;
  int64_t start_ns;
  int64_t start_cpu_ns;              // thread CPU clock when sampling began
  std::atomic<int64_t> last_cpu_ns;  // the same clock at the latest sample or the end
  std::atomic<int64_t> end_ns;       // 0 = the thread still runs
  std::atomic<uint32_t>
      last_node;  // node of the latest sample (wall clock: an idle thread is still there)
  std::atomic<uint32_t> perf;        // PerfState
  std::atomic<uint64_t> dropped;     // samples that found the ring full
  std::atomic<uint64_t> dropped_ns;  // weight of these samples
  char name[16];  // the kernel's name of the thread at its start, updated at its end
  std::atomic<uint64_t> paused_ns;  // weight of samples while recording was off
  std::atomic<uint32_t> asks;       // AsksState
  // 0: the ring has kRingEntries entries, because most threads should use little memory. Otherwise
  // it has kMaxRingEntries, and this is 1 + the number of the first entry after it grew. The agent
  // changes it before it publishes that entry through `head`.
  std::atomic<uint64_t> grown;
  alignas(
      64) std::atomic<uint64_t> head;  // written by the agent only; entries [tail, head) are valid
  alignas(64) std::atomic<uint64_t> tail;  // written by the collector only
  alignas(64) SampleRecord entries[kMaxRingEntries];
};
constexpr uint64_t kRingBytes = 1028 << 10;
static_assert(sizeof(ThreadRing) <= kRingBytes && kRingBytes % 4096 == 0);
constexpr uint32_t kRingsPerBlock = 16;  // rings that the collector maps at once

constexpr uint32_t RingCapacity(uint64_t grown) {
  return grown == 0 ? kRingEntries : kMaxRingEntries;
}

// Returns the position in the ring of the entry with number `entry`. The position is always within
// the ring, whatever the target wrote.
constexpr uint32_t RingIndex(uint64_t entry, uint64_t grown) {
  const bool is_later = grown != 0 && entry >= grown - 1;
  return static_cast<uint32_t>(entry % (is_later ? kMaxRingEntries : kRingEntries));
}

// True if the ring may grow at the next entry: no unread entry is then overwritten or moved. The
// unread entries are in the first kRingEntries positions. One of these must be true:
//   - No entry is unread.
//   - The next entry's position in the larger ring, and the kRingEntries positions from there on,
//     are outside the first kRingEntries.
//   - All unread entries have the same position in the larger ring.
constexpr bool RingMayGrow(uint64_t head, uint64_t tail) {
  const uint64_t place = head % kMaxRingEntries;
  return head == tail || (place >= kRingEntries && place <= kMaxRingEntries - kRingEntries) ||
         tail % kMaxRingEntries + (head - tail) <= kRingEntries;
}

// True if there is a free position for the next entry. While entries from before the growth are
// unread, the ring must not wrap around.
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

// Message that carries the descriptor of a perf event, which a thread opened on itself. The
// collector keeps the event open for the life of the thread, and no descriptor of ours stays in the
// target. Every message begins with the secret. A filter on the socket drops other messages before
// they cost anything.
struct PerfEventMessage {
  uint64_t secret;
  uint64_t token;
  uint32_t region;
  uint32_t thread;      // number of the thread's slot
  uint32_t generation;  // generation of the slot
  uint32_t reserved;
};

// Message by which a process requests the descriptor of the memory for its user. The answer goes to
// the address from which the request was sent.
struct JoinRequest {
  uint64_t secret;
  uint64_t reserved;
};
struct JoinReply {  // the answer, which carries the descriptor
  uint64_t secret;
  int64_t host_pid;  // PID of the process that asked, as the collector sees it
};
// The two messages are distinguished by their size.
static_assert(sizeof(JoinRequest) != sizeof(PerfEventMessage));

// Identifies signals of the agent's timers. Their sival_ptr is this value with the slot in the low
// bits.
constexpr uint64_t kTimerCookie = 0x6770726f66780000;

// Signal of the agent's CPU timers. glibc reserves it for setuid(2) in programs with threads
// (nptl/setxid.h), musl for pthread_cancel(3). Neither lets a program set an action for it, and
// sigfillset(3) leaves it out. glibc removes it from each mask, debuggers pass it on silently, and
// Go leaves it to libc. The handlers of both libraries do nothing if no request is pending.
constexpr int kTickSignal = 33;

// Signal of perf events and, in wall-clock mode, of the collector, which sends it by
// rt_tgsigqueueinfo with the value kWallSignalCookie.
//
// It is not a real-time signal, because for perf events the kernel may replace such a signal by
// SIGIO (fs/fcntl.c, send_sigio_to_task). A process may exec a program without the agent at any
// moment, so the signal must be one that is ignored by default.
constexpr int kAskSignal = SIGURG;
constexpr uint64_t kWallSignalCookie = 0x67700000;  // the slot is in the low bits
}  // namespace gprofx::wire
