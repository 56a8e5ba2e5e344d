// Rows of the streams of events as structs: what EventTable::Append takes. The columns that they
// become are in core/events/events.h. Times are HostNs, durations ns; an id of 0 = none or unknown.
#pragma once

#include <cstdint>

#include "core/model/ids.h"

namespace gprofx {

struct KernelEvent {
  HostNs start = 0;
  int64_t duration = 0;
  HostNs launch = 0;  // begin of the call that launched it, 0 = unknown
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
  uint32_t tid = 0;   // of the operating system
};

// How PC samples came to their call path.
enum class PcConfidence : uint8_t {
  kNone = 0,          // no kernel of this name was seen: not attributed, node = 0
  kExact = 1,         // one call path launched the function in the window
  kProportional = 2,  // several did: split by the time that their kernels ran
  kFunctionOnly = 3,  // the kernel ran at another time than the window: its latest call path
};

struct PcEvent {
  CubinId cubin;
  FunctionId function;
  uint64_t offset = 0;  // of the instruction in the function, bytes
  StringId stall;
  int64_t samples = 0, latency = 0;  // latency: those in which the scheduler issued nothing
  NodeId node;
  PcConfidence confidence = PcConfidence::kNone;
};

// A range or moment that the program itself has named. Ranges of one thread may overlap in any way.
struct MarkerEvent {
  HostNs start = 0;
  int64_t duration = 0;  // 0 = a moment
  ThreadId thread;
  StringId name;
  StringId domain;  // 0 = the default one
};

// A window in which launches were counted, and records of GPU work made or not.
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

enum class MemorySource : uint8_t {  // who gave GPU memory out
  kDriver = 1,                       // cuMemAlloc and its variants, cuMemCreate
  kPool = 2,                         // cuMemAllocAsync: a pool of the driver's
  kFramework =
      3,  // an allocator that takes memory of the driver and gives out blocks of it: PyTorch's
};

// Clocks, power and temperature of a GPU at a moment; 0 = not known.
struct EnvironmentEvent {
  HostNs time = 0;
  ProcessId process;  // that asked
  GpuDeviceId device;
  int64_t sm_mhz = 0, memory_mhz = 0, milliwatts = 0, celsius = 0;
  uint64_t throttle = 0;  // nvmlClocksThrottleReasons: why the clock is not higher
};

// What a thread waited for between two looks.
struct ThreadWaitEvent {
  HostNs start = 0;
  int64_t duration = 0;
  ThreadId thread;
  int64_t ready_ns = 0;  // it could run, and no core was free
  int64_t faults = 0;    // page faults that read from a disk
  int64_t cpus = 0;      // that it may run on, 0 = not known
};

// A thread that launches did not run at this moment. Looked at about so often:
inline constexpr int64_t kWaitLookNs = 50'000'000;
struct WaitPlaceEvent {
  HostNs time = 0;
  ThreadId thread;
  NodeId node;  // its Python frames
};

struct MemoryEvent {  // GPU memory was allocated or given back
  HostNs time = 0;
  ThreadId thread;
  NodeId node;  // the stack of the call
  ProcessId process;
  GpuDeviceId device;
  uint64_t address = 0;  // or a handle: what tells live memory of a source apart
  int64_t bytes = 0;     // below 0: given back
  MemorySource source = MemorySource::kDriver;
  int64_t allocated = -1, reserved = -1;  // the allocator's own sums behind it; -1 = not said
};

}  // namespace gprofx
