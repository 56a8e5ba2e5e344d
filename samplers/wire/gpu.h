// Declares the GPU part of the wire format: what libgprofx-cuda.so in the target sends to the
// collector.
//
// Launches and other CUDA calls are written to the ring of the calling thread, between its samples
// (records.h: kRecordLaunch, kRecordCall), because they refer to the same stack nodes. Everything
// else (kernels, copies, PC samples, names, modules) is a stream of records in one byte ring per
// process. Our own thread and the few callbacks that are not hot write to it with a lock. The code
// of GPU modules goes to the spool, an unlinked file of the collector (kSessionVariable).
//
// A launch is in its thread's ring before its kernel is in the stream. To see the launch of every
// kernel, a reader first reads `head`, then drains the thread rings, and then reads the stream up
// to that head. POD, native byte order, no pointers. Times are ns since ControlPage::start_ns; 0 =
// unknown.
#pragma once

#include <atomic>
#include <cstdint>

namespace gprofx::wire {

constexpr uint64_t kGpuStreamBytes = 16u << 20;  // power of two

// CUDA calls that are recorded. Each value covers all variants (_v2, _ptsz, Ex, ...).
enum GpuCall : uint8_t {
  kCallNone = 0,
  kCallLaunch,
  kCallLaunchCooperative,
  kCallGraphLaunch,
  kCallCopy,       // cuMemcpy*, which waits
  kCallCopyAsync,  // cuMemcpy*Async
  kCallSet,
  kCallSetAsync,
  kCallStreamSync,
  kCallContextSync,
  kCallEventSync,
  kCallAlloc,  // cuMemAlloc, managed and host memory
  kCallFree,   // cuMemFree; may wait for the device
  kCallAllocAsync,
  kCallFreeAsync,
  kCallModuleLoad,
  kCallGraphBuild,    // end of a capture, or instantiation of a graph
  kCallMemoryCreate,  // makes physical memory with a handle
  kCallMemoryRelease,
  kCallMemoryMap,  // maps or unmaps memory
  kGpuCallCount,
};
// Returns the driver's name of a call, for display. Returns "" for an unknown number.
constexpr const char* GpuCallName(uint32_t call) {
  constexpr const char* kNames[kGpuCallCount] = {
      "",
      "cuLaunchKernel",
      "cuLaunchCooperativeKernel",
      "cuGraphLaunch",
      "cuMemcpy",
      "cuMemcpyAsync",
      "cuMemset",
      "cuMemsetAsync",
      "cuStreamSynchronize",
      "cuCtxSynchronize",
      "cuEventSynchronize",
      "cuMemAlloc",
      "cuMemFree",
      "cuMemAllocAsync",
      "cuMemFreeAsync",
      "cuModuleLoad",
      "cuGraphInstantiate",
      "cuMemCreate",
      "cuMemRelease",
      "cuMemMap",
  };
  return call < kGpuCallCount ? kNames[call] : "";
}
// True for calls in which the host waits for the device.
constexpr bool IsWaitingCall(uint32_t call) {
  return call == kCallCopy || call == kCallSet || call == kCallStreamSync ||
         call == kCallContextSync || call == kCallEventSync || call == kCallFree;
}

// What the collector requests from the target. It is part of the control page.
enum GpuMode : uint32_t { kModeOff = 0, kModeTrace = 1, kModePc = 2 };
struct GpuPlan {
  uint32_t mode;       // GpuMode: the maximum that is recorded
  uint32_t pc_period;  // log2 of SM cycles between two samples, 5 to 31; 0 = we choose it
  // Limit for the cost of recording, in thousandths of the program's time; 0 = no limit.
  uint32_t budget;
};

// What is recorded at a time. Each level adds one thing to the previous one and costs more.
// Instruction sampling is on from the start until kLevelRecords is left for the first time.
enum GpuLevel : uint32_t {
  kLevelOff = 0,   // nothing; callbacks are off, too
  kLevelLaunches,  // each launch is counted with its call path
  kLevelRecords,   // kernels, copies and memsets with their times
  kLevelAuto,      // only as a request: the target chooses the level within the budget
};

enum GpuCounter : uint32_t {
  // Launch, copy and set calls, each with a record in a thread ring. Those of threads that own a
  // GpuHeader::Line are not included; LaunchesOf returns the total.
  kGpuLaunches = 0,
  kGpuLaunchesLost,      // launches whose thread's ring was full, or whose thread has none
  kGpuLaunchNs,          // time of the program's threads in our callbacks, ns
  kGpuRecords,           // activity records that CUPTI delivered
  kGpuRecordsDropped,    // activity records that CUPTI reports as dropped
  kGpuRecordsNoTime,     // kernels and copies with start = end = 0
  kGpuStreamFull,        // stream records that found no room
  kGpuBuffersMade,       // activity buffers beyond the preallocated ones
  kGpuModules,           // modules that were loaded
  kGpuModulesUnspooled,  // modules whose code could not be written to the spool
  kGpuPcSamples,         // totalSamples of all drains
  kGpuPcUser,            // sum of samples with a program counter (X, not X_not_issued)
  kGpuPcNonUser,         // nonUsrKernelsTotalSamples
  kGpuPcDropped,         // droppedSamples
  kGpuPcBufferFull,      // drains that reported hardwareBufferFull or OUT_OF_MEMORY
  kGpuPcGapNs,           // time without PC sampling while it was set up again
  kGpuCaptures,          // graph nodes whose creation was seen
  kGpuErrors,            // CUPTI calls that failed unexpectedly
  kGpuForkedCalls,       // CUDA calls of children that were forked after CUDA was initialised
  kGpuLaunchesHooked,  // launches that hooks recorded while CUPTI did not report them; approximate
  kGpuCallsBypassed,   // calls that CUPTI reported and that bypassed the hooks
  kGpuFetchNs,         // time in which CUPTI came or left, ns; launching threads may wait then
  // Statistics of timed launches. There are four of each, one per CallTimes::Kind
  // (samplers/cuda/levels/call_times.h): the number of batches, the sum of their means in ns, and
  // the sum of the squared means.
  kGpuTimedBatches,
  kGpuTimedNs = kGpuTimedBatches + 4,
  kGpuTimedSquares = kGpuTimedNs + 4,
  kGpuCounterCount = kGpuTimedSquares + 4,
};

constexpr uint32_t kGpuLines = 64;

struct GpuHeader {  // page-aligned, after the thread rings of a region; zero until used
  std::atomic<uint32_t> active;  // 1: this process records what it does on a GPU
  std::atomic<uint32_t> ended;   // 1: everything was flushed at a normal end
  std::atomic<uint64_t> head;    // number of bytes written to the stream so far
  std::atomic<uint64_t> tail;    // number of bytes read so far; written by the collector only
  std::atomic<uint64_t> counters[kGpuCounterCount];
  // Histogram (HandlerBucket) of the time that launches spent in our callbacks.
  std::atomic<uint64_t> launch_ns[128];
  std::atomic<uint32_t> level;          // present GpuLevel
  std::atomic<uint32_t> host_is_limit;  // 1: the host is the bottleneck, and levels alternate
  struct alignas(64) Line {
    std::atomic<uint64_t> launches;
  } lines[kGpuLines];  // each written by one thread at a time
};
constexpr uint64_t kGpuHeaderBytes = 8192;
static_assert(sizeof(GpuHeader) <= kGpuHeaderBytes);

// Returns the number of launches of all threads. The sum is limited to UINT64_MAX, because the
// target may have written any values.
inline uint64_t LaunchesOf(const GpuHeader& header) {
  uint64_t sum = header.counters[kGpuLaunches].load(std::memory_order_relaxed);
  for (const GpuHeader::Line& line : header.lines) {
    const uint64_t more = line.launches.load(std::memory_order_relaxed);
    sum = more > UINT64_MAX - sum ? UINT64_MAX : sum + more;
  }
  return sum;
}

// Header of every record in the stream. `bytes` is the size of the whole record, a multiple of 8. A
// record never wraps around the end of the ring. If it does not fit before the end, a kGpuPad fills
// the rest.
enum GpuRecordType : uint16_t {
  kGpuPad = 0,  // padding, which readers skip
  kGpuKernel,
  kGpuCopy,
  kGpuSet,
  kGpuSync,  // no longer written; older recorded streams contain it
  kGpuOverhead,
  kGpuName,    // GpuTextRecord: id -> mangled kernel name
  kGpuStall,   // GpuTextRecord: index -> name of a stall reason
  kGpuNotice,  // GpuTextRecord: id = GpuNotice, text for the user
  kGpuFact,    // GpuTextRecord: "name=value" for the profile's meta
  kGpuDevice,
  kGpuContext,
  kGpuModule,
  kGpuGraphNode,
  kGpuPcWindow,  // followed by its kGpuPc records
  kGpuPc,
  kGpuLevelChange,
  kGpuEnvironment,
  kGpuWait,
};
struct GpuRecord {
  uint16_t type;
  uint16_t reserved;
  uint32_t bytes;
};
constexpr uint32_t kMaxGpuRecord = 64 << 10;

struct GpuKernelRecord {
  GpuRecord header;
  uint64_t start, end;
  uint32_t correlation;  // correlation id of the launch, from 1 in each process
  uint32_t name;         // id of a kGpuName that comes earlier in the stream
  uint32_t device, context, stream;
  uint32_t grid[3], block[3];
  uint32_t registers, static_shared, dynamic_shared, local;  // bytes per block, local per thread
  uint32_t graph;                                            // 0 = not from a graph
  uint64_t graph_node;
};
static_assert(sizeof(GpuKernelRecord) == 96);

struct GpuCopyRecord {  // including peer to peer
  GpuRecord header;
  uint64_t start, end, bytes;
  uint32_t correlation, device, context, stream;
  uint8_t kind;            // CUpti_ActivityMemcpyKind: 1 HtoD, 2 DtoH, 8 DtoD, 10 PtoP, ...
  uint8_t source, target;  // CUpti_ActivityMemoryKind: 1 pageable, 2 pinned, 3 device, ...
  uint8_t async;           // 1 = the call did not wait
  uint32_t graph;
  uint64_t graph_node;
};
static_assert(sizeof(GpuCopyRecord) == 64);

struct GpuSetRecord {
  GpuRecord header;
  uint64_t start, end, bytes;
  uint32_t correlation, device, context, stream;
  uint32_t memory;  // CUpti_ActivityMemoryKind
  uint32_t graph;
  uint64_t graph_node;
};
static_assert(sizeof(GpuSetRecord) == 64);

struct GpuSyncRecord {
  GpuRecord header;
  uint64_t start, end;
  uint32_t correlation, context, stream;
  // A CUpti_ActivitySynchronizationType: 1 event, 2 stream waits for event, 3 stream, 4 context.
  uint32_t type;
};
static_assert(sizeof(GpuSyncRecord) == 40);

struct GpuOverheadRecord {
  GpuRecord header;
  uint64_t start, end;
  uint32_t kind;  // CUpti_ActivityOverheadKind
  uint32_t tid;   // 0 = it belongs to no thread
};
static_assert(sizeof(GpuOverheadRecord) == 32);

struct GpuTextRecord {  // kGpuName, kGpuStall, kGpuNotice, kGpuFact
  GpuRecord header;
  uint32_t id;
  uint32_t length;  // length of the text that follows, without a NUL
};
static_assert(sizeof(GpuTextRecord) == 16);

enum GpuNotice : uint32_t {  // messages for the user, each reported once
  kNoticeNoCupti = 1,        // no libcupti was found, or it is too old
  kNoticeOtherClient,        // another CUPTI client is active: no GPU data
  kNoticePcPermission,       // PC sampling is not permitted
  kNoticePcUnavailable,      // PC sampling does not work here for another reason
  kNoticePcSmaller,          // PC sampling is disabled or reduced for lack of GPU memory
  kNoticeTorchProfiler,      // the target's own CUPTI client gets no data
  kNoticeLost,               // CUPTI stopped delivering
  kNoticeChain,              // another injection library could not be loaded
};

struct GpuDeviceRecord {  // followed by `name_length` bytes of name
  GpuRecord header;
  uint32_t device;
  uint32_t compute_major, compute_minor, multiprocessors;
  uint64_t clock_hz, memory_bytes, memory_bytes_per_s;
  uint32_t warps_per_multiprocessor, blocks_per_multiprocessor;  // resident maximum
  uint32_t threads_per_warp, registers_per_multiprocessor, shared_per_multiprocessor;
  uint32_t driver;  // cuDriverGetVersion: 13000 = 13.0
  uint8_t uuid[16];
  char pci_bus[16];
  uint32_t name_length, reserved;
};
static_assert(sizeof(GpuDeviceRecord) == 112);

struct GpuContextRecord {
  GpuRecord header;
  uint32_t context, device;
};
static_assert(sizeof(GpuContextRecord) == 16);

struct GpuModuleRecord {  // a module was loaded; several records may have the same hash
  GpuRecord header;
  uint64_t hash;          // our own hash of the whole image
  uint64_t bytes;         // size of the image
  uint64_t spool_offset;  // offset of the image in the spool
  uint64_t spool_bytes;   // 0 = the image is not in the spool
};
static_assert(sizeof(GpuModuleRecord) == 40);

struct GpuGraphNodeRecord {
  GpuRecord header;
  uint64_t graph_node;
  uint64_t original;  // the node that this one was cloned from; 0 = not a clone
  uint32_t node;      // stack node of the call that captured or added the graph node; 0 = unknown
  uint32_t reserved;
};
static_assert(sizeof(GpuGraphNodeRecord) == 32);

struct GpuPcWindowRecord {  // one drain of the sampling interface
  GpuRecord header;
  uint64_t begin, end;  // nearly all samples were taken in [begin, end)
  uint64_t total, dropped, non_user;
  uint32_t context, device;
  uint32_t period;  // log2 of SM cycles
  // Number of kGpuPc records that belong to this window. Other records may come between them.
  uint32_t records;
  uint32_t buffer_full, reserved;
};
static_assert(sizeof(GpuPcWindowRecord) == 72);

struct GpuPcStall {
  uint32_t reason;  // index of a kGpuStall
  uint32_t samples;
};
struct GpuPcRecord {  // followed by `stalls` GpuPcStall
  GpuRecord header;
  uint64_t module;    // hash of the module
  uint64_t offset;    // offset of the instruction in the function
  uint32_t function;  // index of the function in the symbol table
  uint32_t name;      // id of a kGpuName
  uint32_t context;
  uint32_t stalls;
};
static_assert(sizeof(GpuPcRecord) == 40);

struct GpuLevelRecord {  // the level changed
  GpuRecord header;
  uint64_t left;                     // time when the previous level became incomplete
  uint64_t entered;                  // time when the new level was complete
  uint64_t launches_left, launches;  // numbers of launches up to these two times
  uint32_t level;                    // GpuLevel
  uint32_t reserved;
};
static_assert(sizeof(GpuLevelRecord) == 48);

struct GpuEnvironmentRecord {  // readings of NVML for a GPU; 0 = not reported
  GpuRecord header;
  uint64_t time;
  uint64_t throttle;  // nvmlClocksThrottleReasons
  uint32_t device;
  uint32_t sm_mhz, memory_mhz, milliwatts, celsius;
  uint32_t reserved;
};
static_assert(sizeof(GpuEnvironmentRecord) == 48);

struct GpuWaitRecord {  // a thread that launches GPU work was not running
  GpuRecord header;
  uint64_t time;
  uint32_t slot, generation;  // identify the thread's ring
  uint32_t node;              // stack node of the thread's Python frames
  uint32_t reserved;
};
static_assert(sizeof(GpuWaitRecord) == 32);

constexpr uint32_t PadTo8(uint32_t bytes) { return (bytes + 7) & ~7u; }

}  // namespace gprofx::wire
