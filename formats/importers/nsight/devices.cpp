// Reads the GPUs and the numbers that each process uses for them.
#include <map>

#include "formats/importers/nsight/readers.h"
#include "formats/importers/nsight/row_values.h"
#include "formats/importers/nsight/table_names.h"

namespace gprofx::importers::nsight {
namespace {

constexpr size_t kLongestVersion = 40;

GpuDeviceFacts FactsOf(const ExportTables::Row& row, const std::string& driver) {
  GpuDeviceFacts facts;
  facts.name = row.Text(1);
  facts.uuid = row.Text(2);
  facts.pci_bus = row.Text(3);
  facts.memory_bytes = row.Int(4);
  facts.memory_bytes_per_s = row.Int(5);
  facts.clock_hz = row.Int(6);
  facts.multiprocessors = Unsigned(row.Int(7));
  facts.compute_major = Unsigned(row.Int(8));
  facts.compute_minor = Unsigned(row.Int(9));
  facts.warps_per_multiprocessor = Unsigned(row.Int(10));
  facts.threads_per_warp = Unsigned(row.Int(11));
  facts.driver = driver;
  return facts;
}

}  // namespace

Status ReadDevices(ExportTables& tables, TraceGather& gather) {
  const std::string driver = tables.Fact(kSystem, "NvDriverVersion").substr(0, kLongestVersion);
  std::map<int64_t, GpuDeviceFacts> gpus;
  Status read = tables.Rows(
      kGpus,
      {"id", "name", "uuid", "busLocation", "totalMemory", "memoryBandwidth", "clockRate",
       "smCount", "computeMajor", "computeMinor", "maxWarpsPerSm", "threadsPerWarp"},
      1, [&](const ExportTables::Row& row) {
        const uint32_t number = Unsigned(row.Int(0));
        const GpuDeviceFacts& facts = gpus[row.Int(0)] = FactsOf(row, driver);
        gather.AddDevice({}, number, facts, number);
      });
  if (!read) return read;
  // A process may number its devices differently (CUDA_VISIBLE_DEVICES). Only devices with a
  // different number are added per process: many processes with many devices would exceed the
  // maximum number of devices.
  return tables.Rows(
      kCudaDevices, {"gpuId", "cudaId", "pid"}, 3, [&](const ExportTables::Row& row) {
        const auto gpu = gpus.find(row.Int(0));
        const ProcessId process = gather.Process(row.Int(2));
        if (gpu == gpus.end() || row.Int(0) == row.Int(1)) return;
        gather.AddDevice(process, Unsigned(row.Int(1)), gpu->second, Unsigned(row.Int(0)));
      });
}

}  // namespace gprofx::importers::nsight
