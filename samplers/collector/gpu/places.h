// Devices, contexts, streams and launch configurations: what processes say about them -> rows of
// Profile::gpu.
//
// Devices are shared by processes (same UUID), contexts and streams are a process's own. Ids are
// 1-based positions, 0 = unknown or no room (kMost... rows). GpuPlaces belongs to the run,
// ProcessPlaces to a process; the profile must outlive both. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/profile.h"
#include "samplers/wire/gpu.h"

namespace gprofx {

class GpuPlaces {
 public:
  static constexpr size_t kMostDevices = 256, kMostRows = 65'536, kMostConfigs = 1'000'000;

  explicit GpuPlaces(Profile& profile) : profile_(profile) {}

  uint32_t Device(const wire::GpuDeviceRecord& record, std::string_view name);
  uint32_t Context(ProcessId process, uint32_t number);
  uint32_t Stream(uint32_t context, uint32_t number);
  uint32_t Config(const GpuKernelConfig& config);
  void SetDevice(uint32_t context, uint32_t device);

 private:
  Profile& profile_;
  std::map<std::array<uint8_t, 16>, uint32_t> devices_;
  std::unordered_map<uint64_t, uint32_t> contexts_, streams_;
  std::map<GpuKernelConfig, uint32_t> configs_;
};

class ProcessPlaces {
 public:
  ProcessPlaces(GpuPlaces& places, ProcessId process) : places_(places), process_(process) {}

  void AddDevice(const wire::GpuDeviceRecord& record, std::string_view name);
  void AddContext(uint32_t context, uint32_t device);

  uint32_t Device(uint32_t number) const;  // gpu_device, 0 = unknown
  uint32_t Context(uint32_t number, uint32_t device);  // gpu_context
  uint32_t Stream(uint32_t context_number, uint32_t device, uint32_t number);
  // Warps that can be resident on a device (as the process counts devices) at once.
  uint64_t ResidentWarps(uint32_t device) const;
  uint32_t WarpThreads(uint32_t device) const;

 private:
  struct Known {
    uint32_t row = 0;
    uint64_t resident_warps = 0;
    uint32_t warp_threads = 32;
  };
  GpuPlaces& places_;
  ProcessId process_;
  std::unordered_map<uint32_t, Known> devices_;
};

// The configuration as the profile keeps it.
GpuKernelConfig ConfigOf(const wire::GpuKernelRecord& record, FunctionId function);

}  // namespace gprofx
