#include "core/gpu/copy_memory.h"

#include <algorithm>
#include <vector>

#include "core/base/quantile.h"

namespace gprofx {

double LinkRate(const Profile& profile) {
  uint32_t major = 0;
  for (const GpuDevice& device : profile.gpu.devices) major = std::max(major, device.compute_major);
  if (major >= 9) return 54;
  if (major >= 8) return 26;
  return major >= 6 ? 12.5 : 0;
}

CopyRate PinnedRate(const Profile& profile, std::span<const TimedCopy> copies, uint8_t kind) {
  std::vector<double> rates;
  for (const TimedCopy& copy : copies) {
    if (copy.copy.kind != kind || HostMemory(copy.copy) != cupti::kPinned) continue;
    if (copy.bytes < kLargeCopy || copy.ns <= 0) continue;
    rates.push_back(static_cast<double>(copy.bytes) / static_cast<double>(copy.ns));
  }
  if (rates.empty()) return {LinkRate(profile), false};
  return {Median(std::move(rates)), true};
}

}  // namespace gprofx
