// Rows of the event streams as structs, for EventTable::Append. Their columns are in
// core/events/events.h. Times are HostNs, durations ns; an id of 0 = none or unknown.
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
  uint64_t graph_node = 0;  // of a CUDA graph, 0 = none
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

// How PC samples were attributed to a call path.
enum class PcConfidence : uint8_t {
  kNone = 0,          // no kernel of this name was recorded: not attributed, node = 0
  kExact = 1,         // one call path launched the function in the window
  kProportional = 2,  // several launched it: split by the run time of their kernels
  kFunctionOnly = 3,  // the kernel ran outside the window: its latest call path
};

struct PcEvent {
  CubinId cubin;
  FunctionId function;
  uint64_t offset = 0;  // bytes from the function's start to the instruction
  StringId stall;
  int64_t samples = 0, latency = 0;  // latency: samples in which the scheduler did not issue
  NodeId node;
  PcConfidence confidence = PcConfidence::kNone;
};

// A range or moment named by the program itself. Ranges of one thread may overlap in any way.
struct MarkerEvent {
  HostNs start = 0;
  int64_t duration = 0;  // 0 = a moment
  ThreadId thread;
  StringId name;
  StringId domain;  // 0 = the default
};

// A window in which launches were counted and GPU work was either recorded or not.
struct LevelEvent {
  HostNs start = 0;
  int64_t duration = 0;
  ProcessId process;
  bool traced = false;
  int64_t launches = 0;
};

// A call that puts work on a GPU.
struct LaunchEvent {
  HostNs time = 0;  // begin of the call, whole microseconds
  ThreadId thread;
  NodeId node;  // of the call
};

struct LaunchCallEvent {
  HostNs start = 0;
  int64_t duration = 0;
  ThreadId thread;
};

enum class MemorySource : uint8_t {  // the allocator of GPU memory
  kDriver = 1,                       // cuMemAlloc and its variants, cuMemCreate
  kPool = 2,                         // cuMemAllocAsync: a pool of the driver's
  kFramework = 3,                    // an allocator that subdivides memory of the driver: PyTorch's
};

// Clocks, power and temperature of a GPU at a moment; 0 = unknown.
struct EnvironmentEvent {
  HostNs time = 0;
  ProcessId process;  // the process that queried them
  GpuDeviceId device;
  int64_t sm_mhz = 0, memory_mhz = 0, milliwatts = 0, celsius = 0;
  uint64_t throttle = 0;  // nvmlClocksThrottleReasons: what limits the clock
};

// Wait times of a thread between two checks.
struct ThreadWaitEvent {
  HostNs start = 0;
  int64_t duration = 0;
  ThreadId thread;
  int64_t ready_ns = 0;  // runnable, but no core was free
  int64_t faults = 0;    // page faults that read from a disk
  int64_t cpus = 0;      // number it may run on, 0 = unknown
};

// How often a thread that launches GPU work is checked. A WaitPlaceEvent says that a check found
// the thread not running.
inline constexpr int64_t kWaitLookNs = 50'000'000;
struct WaitPlaceEvent {
  HostNs time = 0;
  ThreadId thread;
  NodeId node;  // its Python stack
};

struct MemoryEvent {  // GPU memory was allocated or freed
  HostNs time = 0;
  ThreadId thread;
  NodeId node;  // the stack of the call
  ProcessId process;
  GpuDeviceId device;
  uint64_t address = 0;  // or a handle; identifies live memory of a source
  int64_t bytes = 0;     // negative: freed
  MemorySource source = MemorySource::kDriver;
  int64_t allocated = -1, reserved = -1;  // the allocator's totals after it; -1 = unknown
};

}  // namespace gprofx
