// Streams of events: rows of integers in named columns, for what happens too often for a table row
// each.
//
// One description per stream serves writer, reader and documentation: the names of streams and
// columns are those of table `stream` and of man/gprof-x-format.5. An EventTable is columns in
// memory; it is not thread safe. Times are HostNs. Ids are those of the Profile that the rows
// belong to.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "core/events/event_rows.h"
#include "core/model/ids.h"

namespace gprofx {

enum class Stream : uint32_t {  // numbers as in table `stream`
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
  kSteadyValues = 11,  // as kValues, of the steady phase only
  kGpuLevels = 12,
  kGpuLaunches = 13,
  kLaunchCalls = 14,
  kGpuMemory = 15,
  kGpuEnvironment = 16,
  kThreadWaits = 17,
  kWaitPlaces = 18,
};

enum class ColumnRole : uint8_t {
  kPlain,   // a number that varies little from row to row or is small
  kTime,    // HostNs, mostly growing
  kNode,    // NodeId::value
  kThread,  // ThreadId::value
  // Other ids, 0 = none: rows of the table of that name.
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

// The streams from kKernels on, in the order of their numbers.
std::span<const EventStream> EventStreams();
// Null for others.
const EventStream* FindEventStream(Stream id);

// Column positions (from 0). The first column of a stream with times is its begin.
namespace column {
enum Kernel {
  kKernelStart,
  kKernelDuration,
  kKernelLaunch /* time of the call, 0 = unknown */,
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
// One row per (cubin, function, offset, stall reason, node, confidence). No time.
enum Pc {
  kPcCubin,
  kPcFunction,
  kPcOffset,
  kPcStall /* string */,
  kPcSamples,
  kPcLatency /* those in which the scheduler issued nothing */,
  kPcNode,
  kPcConfidence /* PcConfidence */,
  kPcColumns
};
// Ranges and moments that the program itself has named, by NVTX or a framework's own tracing.
enum Marker {
  kMarkerStart,
  kMarkerDuration /* 0 = a moment */,
  kMarkerThread,
  kMarkerName /* string */,
  kMarkerDomain /* string, 0 = the default one */,
  kMarkerColumns
};
// Windows of a process, all of them; only where records of GPU work were made in some and not in
// others (core/gpu/level_windows.h).
enum Level {
  kLevelStart,
  kLevelDuration,
  kLevelProcess,
  kLevelTraced /* 1: records were made */,
  kLevelLaunches /* in the window, traced or not */,
  kLevelColumns
};
// Calls that put work on a GPU, whether records were made of it or not; only where records may be
// made for a part of the time. Times in whole microseconds: what repeats in them takes little room.
enum Launch { kLaunchTime, kLaunchThread, kLaunchNode /* of the call */, kLaunchColumns };
// Calls that put work on a GPU with their ends, which traces of other tools tell. A call is found
// by its thread and its begin, which is the `launch` of the work.
enum LaunchCall { kLaunchCallStart, kLaunchCallDuration, kLaunchCallThread, kLaunchCallColumns };
// GPU memory that was allocated or given back, in the order of the allocators.
enum Memory {
  kMemoryTime,
  kMemoryThread,
  kMemoryNode,
  kMemoryProcess,
  kMemoryDevice /* gpu_device */,
  kMemoryAddress,
  kMemoryBytes /* below 0: given back */,
  kMemorySource /* MemorySource */,
  kMemoryAllocated /* the allocator's own sum behind it, -1 = not said */,
  kMemoryReserved /* what it holds */,
  kMemoryColumns
};
// Clocks, power and temperature of GPUs, about once a second.
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
// What the system told of threads of programs that use a GPU, about ten times a second.
enum ThreadWait {
  kThreadWaitStart /* the look before */,
  kThreadWaitDuration,
  kThreadWaitThread,
  kThreadWaitReady /* ns of it: could run and had no core */,
  kThreadWaitFaults /* of pages that came from a disk */,
  kThreadWaitCpus /* that it may run on, 0 = not known */,
  kThreadWaitColumns
};
// Where a thread that launches was when it did not run, seen about twenty times a second; only
// where samples are of the CPU clock.
enum WaitPlace { kWaitPlaceTime, kWaitPlaceThread, kWaitPlaceNode, kWaitPlaceColumns };
}  // namespace column

class EventTable {
 public:
  explicit EventTable(Stream stream);  // without columns if it is no stream of events

  // The row of another stream is a mistake of the programmer and aborts.
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
  size_t rows() const;  // of the longest column: a reader may have filled some columns only
  size_t columns() const { return columns_.size(); }
  std::vector<int64_t>& column(size_t i) { return columns_[i]; }
  const std::vector<int64_t>& column(size_t i) const { return columns_[i]; }

 private:
  // One number for each column, in their order.
  void AppendColumns(Stream stream, std::initializer_list<int64_t> row);

  Stream stream_;
  std::vector<std::vector<int64_t>> columns_;
};

}  // namespace gprofx
