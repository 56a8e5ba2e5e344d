// Makes rows of Profile::gpu from the devices, contexts, streams and launch configurations that
// processes report.
//
// Processes share devices (same UUID). Contexts and streams belong to one process. Ids are 1-based
// positions; 0 = unknown, or the table is full (kMax... rows). A run has one GpuPlaces, each
// process has a ProcessPlaces. The profile must outlive both. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

#include "core/model/profile.h"

namespace gprofx {

struct GpuDeviceFacts {
  // Identifies the device across processes. If it is "" (unknown), the device gets a row of its
  // own.
  std::string uuid;
  std::string name, pci_bus, driver;
  uint32_t compute_major = 0, compute_minor = 0, multiprocessors = 0;
  int64_t clock_hz = 0, memory_bytes = 0, memory_bytes_per_s = 0;  // 0 = unknown, as below
  uint32_t warps_per_multiprocessor = 0;  // maximum number of resident warps
  uint32_t threads_per_warp = 0;
};

class GpuPlaces {
 public:
  static constexpr size_t kMaxDevices = 4096, kMaxRows = 65'536, kMaxConfigs = 1'000'000;

  explicit GpuPlaces(Profile& profile) : profile_(profile) {}

  GpuDeviceId Device(const GpuDeviceFacts& facts);
  GpuContextId Context(ProcessId process, uint32_t number);
  GpuStreamId Stream(GpuContextId context, uint32_t number);
  GpuConfigId Config(const GpuKernelConfig& config);
  void SetDevice(GpuContextId context, GpuDeviceId device);
  // Number of times that a device, context, stream or configuration got no row because its table
  // was full.
  int64_t without_row() const { return without_row_; }

 private:
  template <class Id>
  Id NoRow() {
    ++without_row_;
    return {};
  }

  Profile& profile_;
  int64_t without_row_ = 0;
  std::unordered_map<std::string, GpuDeviceId> devices_;  // by UUID
  std::unordered_map<uint64_t, GpuContextId> contexts_;   // by process and number
  std::unordered_map<uint64_t, GpuStreamId> streams_;     // by context and number
  std::map<GpuKernelConfig, GpuConfigId> configs_;
};

class ProcessPlaces {
 public:
  ProcessPlaces(GpuPlaces& places, ProcessId process) : places_(places), process_(process) {}

  // The arguments `number`, `context` and `device` are the numbers that the process uses.
  void AddDevice(uint32_t number, const GpuDeviceFacts& facts);
  void AddContext(uint32_t number, uint32_t device);

  GpuDeviceId Device(uint32_t number) const;
  GpuContextId Context(uint32_t number);
  GpuStreamId Stream(uint32_t context, uint32_t device, uint32_t number);
  // Returns how many warps can be resident on a device at once. If the device did not report it,
  // returns the number for a large GPU.
  uint64_t ResidentWarps(uint32_t device) const;
  uint32_t WarpThreads(uint32_t device) const;

 private:
  struct Known {
    GpuDeviceId row;
    uint64_t resident_warps = 0;
    uint32_t warp_threads = 32;
  };
  GpuPlaces& places_;
  ProcessId process_;
  std::unordered_map<uint32_t, Known> devices_;
};

}  // namespace gprofx
