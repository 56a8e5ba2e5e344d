// Defines the GPU tables of a profile: the rows of the tables gpu_*, cubin, source and wall_part.
// Also defines the names of the GPU metrics. Ids are 1-based positions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/model/ids.h"

namespace gprofx {

struct GpuDevice {
  StringId name, uuid, pci_bus, driver;
  uint32_t compute_major = 0, compute_minor = 0, multiprocessors = 0;
  int64_t clock_hz = 0, memory_bytes = 0, memory_bytes_per_s = 0;
  bool operator==(const GpuDevice&) const = default;
};

struct GpuContext {
  ProcessId process;
  GpuDeviceId device;
  uint32_t number = 0;  // CUPTI's number within the process
  bool operator==(const GpuContext&) const = default;
};

struct GpuStreamRow {
  GpuContextId context;
  uint32_t number = 0;
  int32_t priority = 0;
  bool operator==(const GpuStreamRow&) const = default;
};

struct GpuKernelConfig {  // shared by many launches of a kernel
  FunctionId function;
  uint32_t grid[3] = {}, block[3] = {};
  uint32_t registers = 0, static_shared = 0, dynamic_shared = 0, local = 0;
  auto operator<=>(const GpuKernelConfig&) const = default;
};

struct GpuCubin {
  uint64_t hash = 0;
  std::vector<std::byte> data;  // ELF file, reduced to what gprof-x needs; may be empty
  bool operator==(const GpuCubin&) const = default;
};

struct SourceText {  // a source file, with its text at the time of the recording
  StringId path;
  std::string text;
  bool operator==(const SourceText&) const = default;
};

// A part of the wall time of the run, by what the GPUs did. All parts add up to the run's duration
// exactly. If GPU work was recorded only part of the time, `ns` covers only that time. `ns` is then
// an estimate of the part's share of the whole time, accurate to -+ margin_ns at 95 %
// (core/cost/share_margins.h). margin_ns 0 = exact or unknown. The names of the parts:
//   gpu.compute gpu.communication gpu.copy
//       Some GPU was busy. Time in which several kinds of work overlap counts as the first of
//       these.
//   idle.sync.CALL  idle.queue_full  idle.python  idle.data_loading  idle.cuda_call  idle.native
//   idle.blocked  idle.profiling  idle.unexplained
//       No GPU was busy. The name says what the CPU did.
struct WallPart {
  std::string name;
  int64_t ns = 0, margin_ns = 0;
  bool operator==(const WallPart&) const = default;
};

// The wall time of one process on one GPU, divided into parts. It begins with the first work of the
// process on that GPU and ends with the process. The parts add up to end - begin exactly.
// Communication counts only while no compute work of that process on that GPU overlaps it.
struct WallLane {
  ProcessId process;
  GpuDeviceId device;  // 0 = unknown
  HostNs begin = 0, end = 0;
  int64_t hidden_communication_ns = 0;  // overlapped by compute work
  std::vector<WallPart> parts;
  bool operator==(const WallLane&) const = default;
};

struct GpuTables {
  std::vector<GpuDevice> devices;
  std::vector<GpuContext> contexts;
  std::vector<GpuStreamRow> streams;
  std::vector<GpuKernelConfig> configs;
  std::vector<GpuCubin> cubins;
  std::vector<SourceText> sources;
  std::vector<WallPart> wall;
  std::vector<WallLane> lanes;
};

// Names of the metrics that a recording with a GPU adds to the tree. The nodes with values are of
// kind kGpuKernel or kGpuCopy or below one. Exceptions are kMetricGpuWait, and the metrics of
// operators and of memory.
inline constexpr char kMetricGpu[] = "gpu";                // ns, exact: kernels, copies, memsets
inline constexpr char kMetricGpuOps[] = "gpu_operations";  // count, exact
// Estimates for all operations, and the standard error of the estimated duration. These exist only
// if GPU work was recorded part of the time (core/gpu/gpu_estimates.h). To add errors, add their
// squares.
inline constexpr char kMetricGpuEstimated[] = "gpu_estimated";                // ns
inline constexpr char kMetricGpuOpsEstimated[] = "gpu_operations_estimated";  // count
inline constexpr char kMetricGpuError[] = "gpu_estimated_error";              // ns
// ns, exact: time that host threads spent in waiting CUDA calls; on kCudaApi nodes.
inline constexpr char kMetricGpuWait[] = "gpu_wait";
inline constexpr char kMetricGpuBytes[] = "gpu_bytes";  // bytes, exact: copied and set
// ns, exact: the part of kMetricGpu during which other work ran on the same device.
inline constexpr char kMetricGpuOverlapped[] = "gpu_overlapped";
// Exact, on frames of operators. These exist only in traces with shapes of arguments, and cover
// only operators whose shapes determine their work (core/kernels/operator_work.h).
inline constexpr char kMetricOperatorFlop[] = "operator_flop";    // count
inline constexpr char kMetricOperatorBytes[] = "operator_bytes";  // bytes
// Exact; these exist only if memory was recorded (core/gpu/gpu_memory.h). For each process and GPU,
// they count the memory of one allocator: a framework's if there is one, otherwise the driver's.
inline constexpr char kMetricGpuMemory[] = "gpu_memory";
inline constexpr char kMetricGpuAllocated[] = "gpu_allocated";      // bytes of all allocations
inline constexpr char kMetricGpuAllocations[] = "gpu_allocations";  // count
inline constexpr char kMetricPcSamples[] = "gpu_samples";           // count, sampled
// Count, sampled: samples in which no instruction was issued.
inline constexpr char kMetricPcLatency[] = "gpu_latency";
// Prefix of the metrics that count samples by stall class. The class's name is appended.
inline constexpr char kMetricStallPrefix[] = "stall_";

enum class StallClass : uint8_t { kMemory, kShared, kSync, kCompute, kFrontend, kIssue, kOther };
inline constexpr size_t kStallClasses = 7;
inline constexpr const char* kStallClassNames[kStallClasses] = {
    "memory", "shared", "sync", "compute", "frontend", "issue", "other"};
// Returns the class of a stall reason, given its short name in the Nsight documentation
// ("long_scoreboard").
StallClass StallClassOf(const std::string& reason);

}  // namespace gprofx
