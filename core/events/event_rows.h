// Defines the rows of the event streams as structs, for EventTable::Append. Their columns are
// described in core/events/events.h. Times are HostNs, durations ns; an id of 0 = none or unknown.
#pragma once

#include <cstdint>

#include "core/model/ids.h"

namespace gprofx {

struct KernelEvent {
  HostNs start = 0;
  int64_t duration = 0;
  HostNs launch = 0;  // begin of the launching call, 0 = unknown
  ThreadId thread;
  NodeId node;
  GpuStreamId stream;
  GpuConfigId config;
  uint32_t correlation = 0;
  uint64_t graph_node = 0;  // node of a CUDA graph, 0 = none
};

struct CopyEvent {
  HostNs start = 0;
  int64_t duration = 0;
  HostNs launch = 0;
  ThreadId thread;
  NodeId node;
  GpuStreamId stream;
  int64_t bytes = 0;
  uint32_t kind = 0;                // CUpti_ActivityMemcpyKind
  uint32_t source = 0, target = 0;  // CUpti_ActivityMemoryKind
  uint32_t correlation = 0;
  uint64_t graph_node = 0;
};

struct SetEvent {
  HostNs start = 0;
  int64_t duration = 0;
  HostNs launch = 0;
  ThreadId thread;
  NodeId node;
  GpuStreamId stream;
  int64_t bytes = 0;
  uint32_t memory = 0;  // CUpti_ActivityMemoryKind
  uint32_t correlation = 0;
  uint64_t graph_node = 0;
};

struct SyncEvent {
  HostNs start = 0;
  int64_t duration = 0;
  ThreadId thread;
  NodeId node;
  GpuContextId context;
  uint32_t type = 0;  // CUpti_ActivitySynchronizationType
  uint32_t correlation = 0;
};

struct CallEvent {
  HostNs start = 0;
  int64_t duration = 0;
  ThreadId thread;
  NodeId node;
  StringId name;
};

struct OverheadEvent {
  HostNs start = 0;
  int64_t duration = 0;
  ProcessId process;
  uint32_t kind = 0;  // CUpti_ActivityOverheadKind
  uint32_t tid = 0;   // OS thread id
};

// How the PC samples of a function were attributed to a call path.
enum class PcConfidence : uint8_t {
  kNone = 0,          // no kernel with this name was recorded: not attributed, node = 0
  kExact = 1,         // one call path launched the function in the window
  kProportional = 2,  // several call paths did: split by the run time of their kernels
  kFunctionOnly = 3,  // none did in the window: its latest call path was used
};

struct PcEvent {
  CubinId cubin;
  FunctionId function;
  uint64_t offset = 0;  // bytes from the function's start to the instruction
  StringId stall;
  // `latency` counts samples in which the scheduler did not issue an instruction.
  int64_t samples = 0, latency = 0;
  NodeId node;
  PcConfidence confidence = PcConfidence::kNone;
};

// A range or a moment that the program has named. Ranges of a thread may overlap in any way.
struct MarkerEvent {
  HostNs start = 0;
  int64_t duration = 0;  // 0 = a moment
  ThreadId thread;
  StringId name;
  StringId domain;  // 0 = the default domain
};

// A window of time in which launches were counted. `traced` is true if GPU work was also recorded.
struct LevelEvent {
  HostNs start = 0;
  int64_t duration = 0;
  ProcessId process;
  bool traced = false;
  int64_t launches = 0;
};

// A call that puts work on a GPU.
struct LaunchEvent {
  HostNs time = 0;  // begin of the call, rounded down to whole microseconds
  ThreadId thread;
  NodeId node;  // of the launching call
};

struct LaunchCallEvent {
  HostNs start = 0;
  int64_t duration = 0;
  ThreadId thread;
};

enum class MemorySource : uint8_t {  // the allocator of GPU memory
  kDriver = 1,                       // cuMemAlloc and its variants, cuMemCreate
  kPool = 2,                         // cuMemAllocAsync: a pool of the driver
  kFramework = 3,  // an allocator that subdivides memory of the driver, such as PyTorch's
};

// Clocks, power and temperature of a GPU at one time; 0 = unknown.
struct EnvironmentEvent {
  HostNs time = 0;
  ProcessId process;  // the process in which gprof-x read them
  GpuDeviceId device;
  int64_t sm_mhz = 0, memory_mhz = 0, milliwatts = 0, celsius = 0;
  uint64_t throttle = 0;  // bits of nvmlClocksThrottleReasons: what limits the clock
};

// How a thread waited between two probes.
struct ThreadWaitEvent {
  HostNs start = 0;
  int64_t duration = 0;
  ThreadId thread;
  int64_t ready_ns = 0;  // time in which it was runnable but had no core
  int64_t faults = 0;    // page faults that read from a disk
  int64_t cpus = 0;      // number of cores on which it may run, 0 = unknown
};

// Interval in ns at which threads that launch GPU work are probed. A probe that finds its thread
// not running becomes a WaitPlaceEvent.
inline constexpr int64_t kWaitLookNs = 50'000'000;
struct WaitPlaceEvent {
  HostNs time = 0;
  ThreadId thread;
  NodeId node;  // Python stack of the thread
};

struct MemoryEvent {  // GPU memory was allocated or freed
  HostNs time = 0;
  ThreadId thread;
  NodeId node;  // the stack of the call
  ProcessId process;
  GpuDeviceId device;
  uint64_t address = 0;  // an address or a handle; identifies live memory of a `source`
  int64_t bytes = 0;     // negative: freed
  MemorySource source = MemorySource::kDriver;
  int64_t allocated = -1, reserved = -1;  // totals of the allocator after the event; -1 = unknown
};

}  // namespace gprofx
