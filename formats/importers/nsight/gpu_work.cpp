// Reads kernels, graphs, copies, memsets and synchronizations.
#include <algorithm>
#include <initializer_list>
#include <unordered_map>

#include "formats/importers/nsight/readers.h"
#include "formats/importers/nsight/row_values.h"
#include "formats/importers/nsight/table_names.h"

namespace gprofx::importers::nsight {
namespace {

using Row = ExportTables::Row;

// Converts a memory kind of Nsight Systems to CUPTI's, which is greater by 1: pageable memory is 0
// in Nsight Systems and 1 in CUPTI. Kinds from 7 on are unknown.
uint8_t MemoryOf(const Row& row, int column) {
  const int64_t kind = IsNull(row, column) ? -1 : row.Int(column);
  return kind >= 0 && kind < 7 ? static_cast<uint8_t>(kind + 1) : 0;
}

// Converts a copy kind to CUPTI's. Nsight Systems has further kinds for migrations of managed
// memory.
uint8_t CopyKindOf(int64_t kind) {
  switch (kind) {
    case 11:
      return 1;
    case 12:
      return 2;
    case 13:
      return 8;
    default:
      return kind > 0 && kind <= 10 ? static_cast<uint8_t>(kind) : 0;
  }
}

// Returns the names of columns: those that all work has, in this order, then those in `more`.
std::vector<const char*> WorkColumns(std::initializer_list<const char*> more) {
  std::vector<const char*> columns = {"start",    "end",           "deviceId", "contextId",
                                      "streamId", "correlationId", "globalPid"};
  columns.insert(columns.end(), more);
  return columns;
}

TraceWork WorkOf(const Row& row, TraceWork::Kind kind, TraceGather& gather) {
  TraceWork work;
  work.kind = kind;
  work.start = row.Int(0);
  work.duration = DurationOf(row);
  work.device = Unsigned(row.Int(2));
  work.context = Unsigned(row.Int(3));
  work.stream = Unsigned(row.Int(4));
  work.correlation = Unsigned(row.Int(5));
  work.process = gather.Process(PidOf(row.Int(6)));
  return work;
}

// Returns false, and counts the row, if its device is not known. Such work would otherwise be
// attributed to device 0.
bool HasDevice(const Row& row, TraceGather& gather) {
  const bool has_device = !IsNull(row, 2) && IsUnsigned(row.Int(2));
  if (!has_device) gather.LeaveOut("gpu_work_without_a_device");
  return has_device;
}

GpuKernelConfig ConfigOf(const Row& row) {
  GpuKernelConfig config;
  for (int i = 0; i < 3; ++i) {
    config.grid[i] = Unsigned(row.Int(8 + i));
    config.block[i] = Unsigned(row.Int(11 + i));
  }
  config.registers = Unsigned(row.Int(14));
  config.static_shared = Unsigned(row.Int(15));
  config.dynamic_shared = Unsigned(row.Int(16));
  config.local = Unsigned(row.Int(17));
  return config;
}

class KernelNames {
 public:
  explicit KernelNames(ExportTables& tables) : tables_(tables) {}

  const std::string& Of(const Row& row) {
    const int column = IsNull(row, 7) ? 18 : 7;
    if (IsNull(row, column)) return none_;
    const auto [found, is_new] = names_.try_emplace(row.Int(column));
    if (is_new) found->second = tables_.TextOf(row, column);
    return found->second.empty() ? none_ : found->second;
  }

 private:
  ExportTables& tables_;
  const std::string none_ = "[kernel without a name]";
  std::unordered_map<int64_t, std::string> names_;
};

}  // namespace

Status ReadKernels(ExportTables& tables, TraceGather& gather) {
  KernelNames names(tables);
  return tables.Rows(kKernels,
                     WorkColumns({"demangledName", "gridX", "gridY", "gridZ", "blockX", "blockY",
                                  "blockZ", "registersPerThread", "staticSharedMemory",
                                  "dynamicSharedMemory", "localMemoryPerThread", "shortName"}),
                     8, [&](const Row& row) {
                       if (!HasDevice(row, gather)) return;
                       TraceWork work = WorkOf(row, TraceWork::kKernel, gather);
                       work.config = gather.AddConfig(names.Of(row), ConfigOf(row));
                       gather.AddWork(work);
                     });
}

// Reads launches of whole CUDA graphs. By default, nsys records a graph as a whole and not its
// kernels.
Status ReadGraphs(ExportTables& tables, TraceGather& gather) {
  return tables.Rows(kGraphs, WorkColumns({"originalGraphId", "graphId"}), 7, [&](const Row& row) {
    if (!HasDevice(row, gather)) return;
    TraceWork work = WorkOf(row, TraceWork::kKernel, gather);
    const int64_t graph = row.Int(IsNull(row, 7) ? 8 : 7);
    work.config = gather.AddConfig("[CUDA graph " + std::to_string(graph) + "]", {});
    gather.AddWork(work);
    ++gather.profile().quality["import_whole_graphs"];
  });
}

Status ReadCopies(ExportTables& tables, TraceGather& gather) {
  return tables.Rows(kCopies, WorkColumns({"bytes", "copyKind", "srcKind", "dstKind"}), 9,
                     [&](const Row& row) {
                       if (!HasDevice(row, gather)) return;
                       TraceWork work = WorkOf(row, TraceWork::kCopy, gather);
                       work.bytes = std::max<int64_t>(row.Int(7), 0);
                       work.copy_kind = CopyKindOf(row.Int(8));
                       work.source = MemoryOf(row, 9);
                       work.target = MemoryOf(row, 10);
                       gather.AddWork(work);
                     });
}

Status ReadSets(ExportTables& tables, TraceGather& gather) {
  return tables.Rows(kSets, WorkColumns({"bytes", "memKind"}), 8, [&](const Row& row) {
    if (!HasDevice(row, gather)) return;
    TraceWork work = WorkOf(row, TraceWork::kSet, gather);
    work.bytes = std::max<int64_t>(row.Int(7), 0);
    work.target = MemoryOf(row, 8);
    gather.AddWork(work);
  });
}

Status ReadSyncs(ExportTables& tables, TraceGather& gather) {
  return tables.Rows(kSyncs,
                     {"start", "end", "contextId", "correlationId", "syncType", "globalPid"}, 2,
                     [&](const Row& row) {
                       TraceSync sync;
                       sync.start = row.Int(0);
                       sync.duration = DurationOf(row);
                       sync.context = Unsigned(row.Int(2));
                       sync.correlation = Unsigned(row.Int(3));
                       sync.type = Unsigned(row.Int(4));
                       if (!IsNull(row, 5)) sync.process = gather.Process(PidOf(row.Int(5)));
                       gather.AddSync(sync);
                     });
}

}  // namespace gprofx::importers::nsight
