// Defines the event streams, which hold rows of integers in named columns. Events that are too
// frequent for a table of the profile are stored in streams.
//
// The writer, the reader and the documentation share the description of each stream. Names of
// streams and columns are those in the table `stream` and in man/gprof-x-format.5. An EventTable
// holds the columns of a stream in memory; it is not thread safe. Times are HostNs. Ids are those
// of the Profile to which the rows belong.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "core/events/event_rows.h"
#include "core/model/ids.h"

namespace gprofx {

enum class Stream : uint32_t {  // numbers as in the table `stream`
  kCpuSamples = 1,
  kValues = 2,
  kKernels = 3,
  kCopies = 4,
  kSets = 5,
  kSyncs = 6,
  kCalls = 7,
  kOverheads = 8,
  kPcSamples = 9,
  kMarkers = 10,
  kSteadyValues = 11,  // like kValues, but for the steady phase only
  kGpuLevels = 12,
  kGpuLaunches = 13,
  kLaunchCalls = 14,
  kGpuMemory = 15,
  kGpuEnvironment = 16,
  kThreadWaits = 17,
  kWaitPlaces = 18,
};

enum class ColumnRole : uint8_t {
  kPlain,   // a number that is small or varies little between rows
  kTime,    // HostNs, usually growing from row to row
  kNode,    // NodeId::value
  kThread,  // ThreadId::value
  // Ids of rows in other tables, 0 = none.
  kString,
  kFunction,
  kProcess,
  kGpuContext,
  kGpuStream,
  kGpuConfig,
  kCubin,
  kGpuDevice,
};
inline constexpr size_t kColumnRoles = 12;

struct EventColumn {
  const char* name;
  ColumnRole role;
};

struct EventStream {
  Stream id;
  const char* name;
  std::span<const EventColumn> columns;  // numbered from 1 in the file
  bool has_times;                        // the first column is the begin of the event
};

// Returns the event streams, in the order of their numbers. Streams with numbers below kKernels,
// and kSteadyValues, are not event streams.
std::span<const EventStream> EventStreams();
// Returns the description of a stream; nullptr if it is not an event stream.
const EventStream* FindEventStream(Stream id);

// Positions of columns in a row, from 0. In a stream with times, column 0 is the begin of the
// event.
namespace column {
enum Kernel {
  kKernelStart,
  kKernelDuration,
  kKernelLaunch /* begin of the call, 0 = unknown */,
  kKernelThread,
  kKernelNode,
  kKernelStream /* gpu_stream */,
  kKernelConfig /* gpu_kernel_config */,
  kKernelCorrelation,
  kKernelGraphNode,
  kKernelColumns
};
enum Copy {
  kCopyStart,
  kCopyDuration,
  kCopyLaunch,
  kCopyThread,
  kCopyNode,
  kCopyStream,
  kCopyBytes,
  kCopyKind,
  kCopySource,
  kCopyTarget,
  kCopyCorrelation,
  kCopyGraphNode,
  kCopyColumns
};
enum Set {
  kSetStart,
  kSetDuration,
  kSetLaunch,
  kSetThread,
  kSetNode,
  kSetStream,
  kSetBytes,
  kSetMemory,
  kSetCorrelation,
  kSetGraphNode,
  kSetColumns
};
enum Sync {
  kSyncStart,
  kSyncDuration,
  kSyncThread,
  kSyncNode,
  kSyncContext /* gpu_context */,
  kSyncType,
  kSyncCorrelation,
  kSyncColumns
};
enum Call {
  kCallStart,
  kCallDuration,
  kCallThread,
  kCallNode,
  kCallKind /* string: its name */,
  kCallColumns
};
enum Overhead {
  kOverheadStart,
  kOverheadDuration,
  kOverheadProcess,
  kOverheadKind,
  kOverheadTid,
  kOverheadColumns
};
// Instruction samples: a row for each combination of cubin, function, offset, stall reason, node
// and confidence. Rows have no time.
enum Pc {
  kPcCubin,
  kPcFunction,
  kPcOffset,
  kPcStall /* string */,
  kPcSamples,
  kPcLatency /* those in which the scheduler did not issue */,
  kPcNode,
  kPcConfidence /* PcConfidence */,
  kPcColumns
};
// Ranges and moments that the program has named, with NVTX or a framework's tracing.
enum Marker {
  kMarkerStart,
  kMarkerDuration /* 0 = a moment */,
  kMarkerThread,
  kMarkerName /* string */,
  kMarkerDomain /* string, 0 = the default */,
  kMarkerColumns
};
// All windows of each process (core/gpu/level_windows.h). Has rows only if GPU work was recorded in
// some windows and not in others.
enum Level {
  kLevelStart,
  kLevelDuration,
  kLevelProcess,
  kLevelTraced /* 1: GPU work was recorded */,
  kLevelLaunches /* in the window, recorded or not */,
  kLevelColumns
};
// Calls that put work on a GPU, even if the work is not recorded. Has rows only if GPU work may be
// recorded part of the time. Times are rounded down to whole microseconds, which compress better.
enum Launch { kLaunchTime, kLaunchThread, kLaunchNode /* of the call */, kLaunchColumns };
// Calls that put work on a GPU, with their durations. Only in traces of other tools. The thread and
// the begin identify a call: work has the begin as its `launch`.
enum LaunchCall { kLaunchCallStart, kLaunchCallDuration, kLaunchCallThread, kLaunchCallColumns };
// Allocations and frees of GPU memory, in the order in which the allocators did them.
enum Memory {
  kMemoryTime,
  kMemoryThread,
  kMemoryNode,
  kMemoryProcess,
  kMemoryDevice /* gpu_device */,
  kMemoryAddress,
  kMemoryBytes /* negative: freed */,
  kMemorySource /* MemorySource */,
  kMemoryAllocated /* the allocator's total after it, -1 = unknown */,
  kMemoryReserved /* held by the allocator */,
  kMemoryColumns
};
// Clocks, power and temperature of GPUs, read about once a second.
enum Environment {
  kEnvironmentTime,
  kEnvironmentProcess,
  kEnvironmentDevice /* gpu_device */,
  kEnvironmentSmMhz,
  kEnvironmentMemoryMhz,
  kEnvironmentMilliwatts,
  kEnvironmentCelsius,
  kEnvironmentThrottle /* nvmlClocksThrottleReasons */,
  kEnvironmentColumns
};
// What the OS kernel reports about threads of programs that use a GPU. Read about ten times a
// second.
enum ThreadWait {
  kThreadWaitStart /* the previous check */,
  kThreadWaitDuration,
  kThreadWaitThread,
  kThreadWaitReady /* ns of it: runnable, but no core was free */,
  kThreadWaitFaults /* page faults that read from a disk */,
  kThreadWaitCpus /* number it may run on, 0 = unknown */,
  kThreadWaitColumns
};
// Stacks of launching threads that a probe found not running. Threads are probed about twenty times
// a second, and only if samples are taken by the CPU clock.
enum WaitPlace { kWaitPlaceTime, kWaitPlaceThread, kWaitPlaceNode, kWaitPlaceColumns };
}  // namespace column

class EventTable {
 public:
  explicit EventTable(Stream stream);  // has no columns if `stream` is not an event stream

  // Adds a row. It must be a row of the table's stream; otherwise this is a programming error and
  // aborts.
  void Append(const KernelEvent& row);
  void Append(const CopyEvent& row);
  void Append(const SetEvent& row);
  void Append(const SyncEvent& row);
  void Append(const CallEvent& row);
  void Append(const OverheadEvent& row);
  void Append(const PcEvent& row);
  void Append(const MarkerEvent& row);
  void Append(const LevelEvent& row);
  void Append(const LaunchEvent& row);
  void Append(const LaunchCallEvent& row);
  void Append(const MemoryEvent& row);
  void Append(const EnvironmentEvent& row);
  void Append(const ThreadWaitEvent& row);
  void Append(const WaitPlaceEvent& row);
  void Clear();

  Stream stream() const { return stream_; }
  size_t rows() const;  // length of the longest column; a reader may fill only some columns
  size_t columns() const { return columns_.size(); }
  std::vector<int64_t>& column(size_t i) { return columns_[i]; }
  const std::vector<int64_t>& column(size_t i) const { return columns_[i]; }

 private:
  // Adds a row: one number per column, in the order of the columns.
  void AppendColumns(Stream stream, std::initializer_list<int64_t> row);

  Stream stream_;
  std::vector<std::vector<int64_t>> columns_;
};

}  // namespace gprofx
