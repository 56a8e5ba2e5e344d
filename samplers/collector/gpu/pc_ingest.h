// Reads the records of PC samples of one process, attributes the samples to call paths and stores
// them as rows and values.
//
// CUPTI reports each stall reason X twice: as X, which counts all samples, and as X_not_issued,
// which counts the latency samples among them. The two are never added. Stall reasons whose names
// lack the prefix of sampled stall reasons are ignored. Every sample is counted once in PcTotals:
// received = exact + proportional + function_only + unattributed. One thread. The profile, the run
// and the names must outlive it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "samplers/collector/gpu/kernel_names.h"
#include "samplers/collector/gpu/pc_attribution.h"
#include "samplers/collector/gpu/run.h"

namespace gprofx {

class PcIngest {
 public:
  PcIngest(Profile& profile, GpuRun& run, KernelNames& names)
      : profile_(profile), run_(run), names_(names) {}

  static PcFunctionKey KeyOf(uint32_t context, const KernelName& name) {
    return name.key == 0 ? 0 : uint64_t{context} << 32 | name.key;
  }

  // The next three functions return false if the record is invalid.
  bool AddStallName(uint32_t index, std::string_view name);
  bool AddWindow(std::span<const std::byte> record, HostNs now);
  bool AddRecord(std::span<const std::byte> record);

  void AddKernel(PcFunctionKey key, HostNs start, HostNs end, PcPath path, uint64_t warps);

  void Advance(HostNs now);
  void Finish();
  size_t bytes() const { return attribution_.bytes(); }  // approximate

 private:
  struct Stall {
    uint32_t reason = 0;  // 1-based position in reasons_; 0 = this stall reason is ignored
    bool latency = false;
  };
  struct Reason {
    std::string name;
    StringId text;
    StallClass stall_class = StallClass::kOther;
  };

  uint32_t ReasonOf(std::string_view name);
  void Take(const PcCount& part, const PcPath& path, PcConfidence confidence);

  Profile& profile_;
  GpuRun& run_;
  KernelNames& names_;
  PcAttribution attribution_;
  std::unordered_map<uint32_t, Stall> stalls_;  // by the stall reason's index in records
  std::vector<Reason> reasons_;
  std::vector<PcCount> counts_;  // used within one call; a member to keep its memory
};

}  // namespace gprofx
